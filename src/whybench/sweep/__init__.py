"""Many units of work, on one machine or many, none of them lost and none done twice.

A sweep asks many models the items of many designs. It is cut into units, each of which is one
process, one log and at most 10,000 samples. A unit is idempotent: to run it again resumes it, to
run a finished one is free. So whatever happens to a worker, a machine or the driver, the cure is
the same: run what is not finished.

- `plan`: a YAML file to the units it asks for;
- `store`: the address where logs, progress and records of a sweep are kept;
- `worker`: one unit from its last upload to its end;
- `quotas`: calls a second for each provider, shared by all workers;
- `pool` and `cluster`: who runs the units, processes on this machine or tasks of Ray;
- `collection`: how far units are, and finished logs to partitioned records;
- `watching`: how far a sweep is, on the screen.
"""
