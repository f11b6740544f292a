"""Order of operators and streaming segments."""

from byrote.schedule.dataflow import Dataflow, Operand
from byrote.schedule.options import Goal, Granularity, Options
from byrote.schedule.schedule import Action, Mode, Phase, Receive, Run, Schedule, Segment, Slide, Step, Stream
from byrote.schedule.search import schedule
from byrote.schedule.whole import settle

__all__ = [
    "Action",
    "Dataflow",
    "Goal",
    "Granularity",
    "Mode",
    "Operand",
    "Options",
    "Phase",
    "Receive",
    "Run",
    "Schedule",
    "Segment",
    "Slide",
    "Step",
    "Stream",
    "schedule",
    "settle",
]
