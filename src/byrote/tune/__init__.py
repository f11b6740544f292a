"""Filling the tables of measured costs: random layers, built, emulated, fitted."""
