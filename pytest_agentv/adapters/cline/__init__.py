"""Sessions of Cline and of its descendants, Roo Code and Kilo Code."""

PROVIDER = "cline"
