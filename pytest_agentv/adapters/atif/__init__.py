"""ATIF, the form in which Harbor keeps what agents did."""

PROVIDER = "atif"
