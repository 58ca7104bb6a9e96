"""What arrives: scenarios, service times, random streams, and the tasks as columns."""
