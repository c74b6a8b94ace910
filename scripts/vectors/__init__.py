"""Cases for the test of single instructions against an independent oracle."""
