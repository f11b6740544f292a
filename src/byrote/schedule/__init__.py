"""Order of operators and streaming segments."""

from byrote.schedule.schedule import Action, Mode, Phase, Run, Schedule, Segment, Slide, Step, Stream

__all__ = ["Action", "Mode", "Phase", "Run", "Schedule", "Segment", "Slide", "Step", "Stream"]
