"""The tidy table of answers: one row for one answer by one agent to one item in one epoch."""

from whybench.records.logs import ReadLogs, read_logs
from whybench.records.partitions import sum_records, write_partition
from whybench.records.table import CORE, record_schema, write_records

__all__ = [
    "CORE",
    "ReadLogs",
    "read_logs",
    "record_schema",
    "sum_records",
    "write_partition",
    "write_records",
]
