"""Files to graphs: each format in its own folder, each asking the operators' `read` what an operator means."""

from byrote.importers.load import load_model

__all__ = ["load_model"]
