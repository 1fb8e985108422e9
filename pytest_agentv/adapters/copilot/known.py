"""The types of events: those that are read, and those that are no part of a conversation.

Whatever is neither is drift: it might be a message in a form we do not know yet.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    """A word list reads better than dozens of quoted lines."""
    return frozenset(text.split())


# About the session, for the screen, for the client.
PASSED_TYPES = _words(
    """
    hook.start hook.end system.message skill.invoked abort
    assistant.turn_start assistant.turn_end assistant.intent
    session.info session.warning session.mode_changed session.plan_changed
    session.permissions_changed session.task_complete session.truncation
    session.compaction_start session.compaction_complete session.usage_checkpoint
    session.auto_mode_resolved session.remote_steerable_changed session.schedule_created
    session.schedule_cancelled session.schedule_rearmed session.autopilot_objective_changed
    session.session_limits_changed session.handoff session.context_cleared
    session.workspace_file_changed session.binary_asset session.todos_changed
    session.canvas.opened session.canvas.closed session.canvas.unavailable
    session.canvas.recorded session.canvas.removed session.canvas.registry_changed
    subagent.started subagent.configured subagent.completed subagent.failed subagent.selected
    subagent.deselected tool_search.activated external_tool.requested external_tool.completed
    """
)

READ_TYPES = _words(
    """
    session.start session.resume session.shutdown session.error session.model_change
    session.context_changed user.message assistant.message assistant.reasoning
    system.notification tool.user_requested tool.execution_start tool.execution_complete
    permission.requested permission.completed
    """
)
