"""The command line: parsing and printing, nothing else.  Imports what a verb needs only when it runs."""
