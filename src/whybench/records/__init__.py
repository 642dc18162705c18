"""The tidy table of answers: one row for one answer by one agent to one item in one epoch."""

from whybench.records.logs import ReadLogs, read_logs
from whybench.records.partitions import write_partition
from whybench.records.scan import sum_up
from whybench.records.schema import CORE, record_schema
from whybench.records.table import read_records, write_records

__all__ = [
    "CORE",
    "ReadLogs",
    "read_logs",
    "read_records",
    "record_schema",
    "sum_up",
    "write_partition",
    "write_records",
]
