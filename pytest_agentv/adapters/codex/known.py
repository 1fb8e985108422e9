"""Records that are no part of a conversation: about the session, for the screen, for the client.

Whatever is neither here nor read is drift: it might be a message in a form we do not know yet.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    """A word list reads better than a hundred quoted lines."""
    return frozenset(text.split())


KNOWN_TYPES = _words(
    """
    world_state retained_context security_risk_score realtime_item
    inter_agent_communication_metadata
    """
)

# Of the lines between the items of the first versions.
KNOWN_STATES = _words("state")

KNOWN_ITEMS = _words(
    """
    ghost_snapshot compaction compaction_summary compaction_trigger context_compaction
    additional_tools other
    """
)

KNOWN_EVENTS = _words(
    """
    agent_reasoning_raw_content agent_reasoning_section_break background_event
    collab_agent_interaction_end collab_close_end collab_resume_end collab_waiting_end
    context_compacted deprecation_notice dynamic_tool_call_request dynamic_tool_call_response
    elicitation_request entered_review_mode exited_review_mode guardian_assessment
    guardian_warning hook_completed hook_started image_generation_begin image_generation_end
    item_started mcp_startup_complete mcp_startup_update model_reroute model_verification
    plan_delta plan_update request_user_input safety_buffering session_configured
    shutdown_complete stream_error terminal_interaction thread_goal_updated turn_diff
    turn_moderation_metadata undo_completed undo_started view_image_tool_call warning
    web_search_begin
    """
)

# Kinds of items that paginated histories complete; none of them is more than an echo.
KNOWN_COMPLETED = _words(
    """
    Plan Sleep HookPrompt ContextCompaction EnteredReviewMode ExitedReviewMode ImageView
    ImageGeneration CollabAgentToolCall SubAgentActivity DynamicToolCall
    """
)
