"""Evidence: build the generated C, run it on the host and on emulated cores, measure and prove."""
