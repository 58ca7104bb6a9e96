from heapq import heappop, heappush

from fairness_lib import Outcome


class EarliestTag:
    """Each task has a tag: when its tenant, at one share each, would have it done."""

    cap = 200

    def begin(self, tasks):
        self.tenant, self.cost_s = tasks.tenant, tasks.estimate_s
        self.weight = tasks.weight
        self.last = [0.0 for _ in tasks.tenants]  # the latest tag of each
        self.waiting = [0 for _ in tasks.tenants]
        self.heap = []  # (tag, task), the smallest first
        self.clock = 0.0  # the tag that was served last

    def put(self, task, now):
        tenant = self.tenant[task]
        if self.waiting[tenant] >= self.cap:
            return Outcome.QUEUE_FULL
        self.waiting[tenant] += 1
        start = max(self.clock, self.last[tenant])
        self.last[tenant] = start + self.cost_s[task] / self.weight[tenant]
        heappush(self.heap, (start, task))

    def take(self, now):
        if not self.heap:
            return None
        self.clock, task = heappop(self.heap)
        self.waiting[self.tenant[task]] -= 1
        return task
