"use strict";
// What the page can do besides being read. Without it everything is still there, in <details>.
// Filters and the place that was jumped to are kept in the address, behind the #.

document.documentElement.classList.add("js");

const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

// ---- theme ----

// A page opened from disk may be denied a storage; then the theme lasts as long as the page.
function stored(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = find("#theme");
  if (button) button.textContent = theme === "dark" ? "Light" : "Dark";
}

const keptTheme = stored("agentv-theme");
if (keptTheme === "dark" || keptTheme === "light") setTheme(keptTheme);

function prepareTheme() {
  const button = find("#theme");
  button.setAttribute("aria-label", "Change between dark and light");
  button.textContent = currentTheme() === "dark" ? "Light" : "Dark";
  button.addEventListener("click", () => {
    setTheme(currentTheme() === "dark" ? "light" : "dark");
    stored("agentv-theme", document.documentElement.dataset.theme);
  });
}

// ---- the address: filters and a place ----

const FILTERS = ["q", "target", "status", "suite", "tag"];

function readAddress() {
  const hash = location.hash.slice(1);
  if (hash && !hash.includes("=")) return { at: hash };
  return Object.fromEntries(new URLSearchParams(hash));
}

function writeAddress(state, { replace = false } = {}) {
  const known = Object.entries(state).filter(([, value]) => value);
  const hash = "#" + new URLSearchParams(known);
  if (replace) location.replace(hash);
  else location.hash = hash;
}

// ---- places ----

function reveal(element) {
  for (let one = element; one; one = one.parentElement) {
    if (one.tagName === "DETAILS") one.open = true;
    one.hidden = false;
  }
}

let here = null;

function goTo(id) {
  const element = document.getElementById(id);
  if (!element) return;
  reveal(element);
  here?.classList.remove("is-here");
  here = element.tagName === "MAIN" ? null : element;
  here?.classList.add("is-here");
  const focusable = (element.tagName === "DETAILS" && find("summary", element)) || element;
  if (focusable === element) element.tabIndex = -1;
  focusable.focus({ preventScroll: true });
  element.scrollIntoView();
  // What is far away has no exact height until it has been near: only now the place is known.
  requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView()));
}

function followLinks(event) {
  const link = event.target.closest('a[href^="#"]');
  // With a key held down the link is to be opened elsewhere.
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const at = link.getAttribute("href").slice(1);
  if (readAddress().at === at) goTo(at);
  else writeAddress({ ...filters(), at });
}

// ---- filters ----

const texts = new Map();
let applied = null;

function filters() {
  const form = find("#filters");
  return form ? Object.fromEntries(new FormData(form)) : {};
}

// What a case is found by: its test, and all of it but the session.
function textOf(element) {
  if (!texts.has(element)) {
    const parts = [find("header", element.closest(".test")), find("summary", element), find(".assertions", element)];
    const model = find(".session .facts", element);
    texts.set(element, [...parts, model].map((one) => one?.textContent ?? "").join(" ").toLowerCase());
  }
  return texts.get(element);
}

function fits(element, wanted) {
  const test = element.closest(".test");
  const outcome = element.dataset.outcome;
  if (wanted.target && element.dataset.target !== wanted.target) return false;
  if (wanted.status === "broken" && outcome !== "failed" && outcome !== "error") return false;
  if (wanted.status && wanted.status !== "broken" && outcome !== wanted.status) return false;
  if (wanted.suite && test.dataset.suite !== wanted.suite) return false;
  if (wanted.tag && !test.dataset.tags.split("\n").includes(wanted.tag)) return false;
  const words = (wanted.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return !words.length || words.every((word) => textOf(element).includes(word));
}

function applyFilters(wanted) {
  const known = JSON.stringify(wanted);
  if (applied === known) return;
  applied = known;
  const rows = new Map(findAll(".matrix tr[data-test]").map((one) => [one.dataset.test, one]));
  let shown = 0;
  let all = 0;
  for (const test of findAll(".test")) {
    const cases = findAll(".case", test);
    const fitting = cases.filter((one) => (one.hidden = !fits(one, wanted)) === false);
    test.hidden = !fitting.length;
    // The figures of a test have a row for each of its cases, in the same order.
    findAll(".figures tbody tr", test).forEach((row, place) => (row.hidden = cases[place].hidden));
    rows.get(test.id).hidden = test.hidden;
    shown += fitting.length;
    all += cases.length;
  }
  find("#found").value = shown === all ? `${all} cases` : `${shown} of ${all} cases`;
  find("#nothing").hidden = shown > 0;
}

function followAddress() {
  const { at, ...wanted } = readAddress();
  const form = find("#filters");
  if (form) {
    for (const name of FILTERS) if (form.elements[name]) form.elements[name].value = wanted[name] ?? "";
    applyFilters(filters());
  }
  if (at) goTo(at);
}

function prepareFilters() {
  const form = find("#filters");
  if (!form) return;
  const apply = () => {
    writeAddress(filters(), { replace: true });
    applyFilters(filters());
  };
  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
}

// ---- two sessions side by side, turn by turn ----

function copyOf(element) {
  const copy = element.cloneNode(true);
  for (const one of [copy, ...findAll("[id]", copy)]) one.removeAttribute("id");
  findAll('a[href^="#"]', copy).forEach((link) => link.replaceWith(link.textContent));
  return copy;
}

function cellOf(session, turn, number) {
  const cell = document.createElement("div");
  const label = document.createElement("h3");
  label.textContent = turn ? `${session.dataset.label}, turn ${number}` : `${session.dataset.label}: no turn ${number}`;
  cell.append(label, ...(turn ? [copyOf(turn)] : []));
  return cell;
}

function fillRows(sessions) {
  const pair = ["#left", "#right"].map((selector) => sessions[find(selector).value]);
  const turns = pair.map((session) => findAll(".turn", session));
  const rows = Math.max(...turns.map((one) => one.length));
  const cells = [];
  for (let row = 0; row < rows; row += 1) {
    pair.forEach((session, side) => cells.push(cellOf(session, turns[side][row], row + 1)));
  }
  find("#beside-rows").replaceChildren(...cells);
}

function showBeside(test) {
  const sessions = findAll(".session", test);
  const options = () => sessions.map((one, place) => new Option(one.dataset.label, place));
  const targets = sessions.map((one) => one.closest(".case").dataset.target);
  const other = targets.findIndex((one) => one !== targets[0]);
  find("#left").replaceChildren(...options());
  find("#right").replaceChildren(...options());
  find("#right").value = other > 0 ? other : 1;
  for (const one of findAll("#left, #right")) one.onchange = () => fillRows(sessions);
  fillRows(sessions);
  find("#beside").showModal();
}

// ---- buttons, keys, paper ----

function openAll(button) {
  const all = findAll("details", button.closest(".session"));
  const open = !all.every((one) => one.open);
  for (const one of all) one.open = open;
  button.textContent = open ? "Close all" : "Open all";
}

function followButtons(event) {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "show-keys") find("#keys").showModal();
  if (button.classList.contains("open-all")) openAll(button);
  if (button.classList.contains("show-beside")) showBeside(button.closest(".test"));
}

// The next thing that went wrong: a case on the page of a run, a call on that of a session.
function goToBroken(step) {
  const selector = find(".case") ? ".case.outcome-failed, .case.outcome-error" : ".call.is-bad";
  const broken = findAll(selector).filter((one) => !one.hidden && !one.closest(".test[hidden]"));
  if (!broken.length) return;
  const place = broken.indexOf(here);
  const next = place < 0 ? (step > 0 ? 0 : broken.length - 1) : (place + step + broken.length) % broken.length;
  writeAddress({ ...filters(), at: broken[next].id });
}

const KEYS = {
  "/": () => find("#filters input")?.focus(),
  "?": () => find("#keys").showModal(),
  j: () => goToBroken(1),
  k: () => goToBroken(-1),
};

function followKeys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Escape") event.target.closest?.("details[open]")?.removeAttribute("open");
  if (!KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

// On paper nothing can be unfolded: what failed is shown with its assertions, and closed after.
let openedForPaper = [];

function openForPaper() {
  openedForPaper = findAll(".case:not([open]), .holding:not([open]), .call.decides:not([open])");
  for (const one of openedForPaper) one.open = true;
}

function closeAfterPaper() {
  for (const one of openedForPaper) one.open = false;
}

addEventListener("DOMContentLoaded", () => {
  prepareTheme();
  prepareFilters();
  document.addEventListener("click", followLinks);
  document.addEventListener("click", followButtons);
  document.addEventListener("keydown", followKeys);
  addEventListener("hashchange", followAddress);
  addEventListener("beforeprint", openForPaper);
  addEventListener("afterprint", closeAfterPaper);
  followAddress();
});
