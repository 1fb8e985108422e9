"""Records that are no part of a conversation: about the session, for the screen, for the client.

Whatever is neither here nor read is drift: it might be a message in a form we do not know yet.
"""

from __future__ import annotations

from pytest_agentv.adapters.claude.stream_json import STREAM_TYPES


def _words(text: str) -> frozenset[str]:
    """A word list reads better than a hundred quoted lines."""
    return frozenset(text.split())


KNOWN_TYPES = STREAM_TYPES | _words(
    """
    progress attachment system file-history-snapshot file-history-delta queue-operation
    last-prompt mode permission-mode ai-title custom-title bridge-session frame-link pr-link
    summary continued-in resume-head-vouch content-replacement data-flow-records
    data-flow-incomplete derived-from api-request-shape api-request-blob api-request
    fork-context-ref ended-by-model tag relocated agent-name agent-color agent-setting
    artifact-comment-monitor artifact-autoreact-ledger history-suppression attribution-snapshot
    isolation-latch session-owner dev-mods memory-mode atis-latch tools-used worktree-state
    cost-state observer-ref
    """
)

KNOWN_ATTACHMENTS: frozenset[str | None] = frozenset({None}) | _words(
    """
    hook_success task_reminder hook_additional_context deferred_tools_delta nested_memory
    edited_text_file command_permissions skill_listing hook_system_message mcp_instructions_delta
    agent_listing_delta file auto_mode hook_non_blocking_error compact_file_reference
    hook_cancelled todo_reminder date_change diagnostics plan_mode plan_mode_exit invoked_skills
    selected_lines_in_ide
    """
)

# Old versions wrote what a hook said as a system record without a subtype.
KNOWN_SUBTYPES: frozenset[str | None] = frozenset({None}) | _words(
    """
    stop_hook_summary turn_duration api_error compact_boundary away_summary
    microcompact_boundary bridge_status model_refusal_fallback
    init status hook_started hook_progress hook_response task_started task_progress
    task_notification api_retry session_state_changed files_persisted elicitation_complete
    local_command_output post_turn_summary permission_denied
    """
)
