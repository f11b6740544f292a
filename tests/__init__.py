"""The tests of byrote."""
