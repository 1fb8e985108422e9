"""``python -m pytest_agentv`` is ``agentv``."""

from pytest_agentv.cli.main import main

main()
