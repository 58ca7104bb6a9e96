// What went wrong in a reader's class, in words, with a hint.

const HINTS = [
  ["ImportError", "This page's Python is MicroPython: it has collections, heapq, math and random, but no dataclasses, typing, enum, bisect or numpy. In a notebook you have them."],
  ["MemoryError", "Your class asked for more than 256 MB. Does a list grow without end?"],
  ["RuntimeError", "A method that calls itself needs an end."],
  ["IndentationError", "Four spaces more after a colon, and the same for all lines of a block."],
  ["SyntaxError", "Look for a bracket or a colon that is missing, on this line or the one before. MicroPython also lacks a few forms, such as match, and * or ** inside brackets."],
  ["NameError", "Is it spelled as above? What belongs to the object needs self. before it."],
  ["AttributeError", "Is it set in begin()? Each run starts there."],
  ["IndexError", "Is the queue empty at that moment? Ask before you take."],
  ["KeyError", "Is it put in before it is looked up? begin() starts each run."],
  ["TypeError", "begin(self, tasks), put(self, task, now), take(self, now) and finished(self, task, cost_s, now) are called so, and the class without arguments."],
];
const RULES = {
  "no task": ({ given }) => `take() gave ${given}, which is no task. It must be a task that waits, or None.`,
  "no reason": ({ given }) => `put() gave ${given}. It must be None, Outcome.QUEUE_FULL or Outcome.QUOTA.`,
  early: ({ given }, who) => `take() gave task ${given} of ${who(given)}, which had not come yet.`,
  again: ({ given }, who) => `take() gave task ${given} of ${who(given)} a second time. Take it out of its queue when you give it.`,
  rejected: ({ given }, who) => `take() gave task ${given} of ${who(given)}, which put() had rejected.`,
};

export function faultWords(fault, who) {
  if (fault.rule) return `At ${fault.now.toFixed(3)} s ${RULES[fault.rule](fault, who)}`;
  const hint = HINTS.find(([kind]) => kind === fault.kind)?.[1] || "";
  const own = fault.words.trim().split("\n").at(-1).replace(`${fault.kind}: `, "");
  return `${fault.line ? `Line ${fault.line}: ` : ""}${fault.kind}: ${own}. ${hint}`.replace("..", ".");
}

// Where a run that does not end may go round: the lines of its loops.
export function endlessWords(source, limit_s, task, arrival_s) {
  const loops = source.split("\n").flatMap((line, i) => (/^\s*while\b/.test(line) ? [i + 1] : []));
  const where = task > 0 ? `second ${arrival_s[task].toFixed(1)} of the traffic was reached` : "no second of the traffic was over";
  const which = loops.length ? ` Does the loop in line ${loops.join(" or ")} end?` : " Does each pick look at everything that waits?";
  return `Ended after ${limit_s} s: ${where}.${which}`;
}
