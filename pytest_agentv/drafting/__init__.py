"""Drafting: a first eval file out of sessions that went well."""
