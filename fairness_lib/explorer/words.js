// What happened, in a sentence for each group of tenants. words.py says the same in Python.
import { html, svg, marker } from "./dom.js";
import { seconds } from "./setting.js";

const ORDER = {
  fifo: "FIFO: first in, first out",
  quota: "Quota: a limit for each, then FIFO",
  drr: "DRR: tenants take turns",
  drr_quota: "Quota, then DRR",
};
const LEAST = 0.9; // of a fair share; who gets less is marked

const people = ({ name, members }) => (members.length > 1 ? `${members.length} ${name}` : name);

function sentence(result, members) {
  const asking = members.filter((t) => result.arrived[t] > 0);
  const several = members.length > 1;
  if (!asking.length) return several ? "ask for nothing" : "asks for nothing";
  const served = members.filter((t) => result.wait_s[3 * t + 2] === result.wait_s[3 * t + 2]);
  const least = `${Math.round(100 * Math.min(...asking.map((t) => result.x[t])))} %`;
  const share = several ? `get at least ${least} of their fair share` : `gets ${least} of its fair share`;
  if (!served.length) return share;
  return `${share} and ${several ? "wait" : "waits"} up to ${seconds(1000 * Math.max(...served.map((t) => result.wait_s[3 * t + 2])))}`;
}

// Who asks for how much in the burst, and what there is.
function demand({ tenants, burst, workers }, capacity) {
  const bursting = tenants.filter((t) => t.bursts.length), count = (n) => Math.round(n).toLocaleString("en-US");
  const asked = (some) => some.reduce((sum, t) => sum + t.rate_per_s * (t.bursts.length ? burst : 1), 0);
  const who = [...new Set(bursting.map((t) => t.group))].join(" and ");
  const first = who && `${who} ${bursting.length > 1 ? "send" : "sends"} ${count(asked(bursting))} tasks per second. `;
  return `${first || ""}All together: ${count(asked(tenants))}. ${workers} workers can do about ${count(capacity)}.`;
}

export function words({ rows, looks, policies, capacity }) {
  const asked = html("p", { class: "fl-asked" });
  const cards = policies.map((policy) => ({
    policy,
    lines: rows.groups.map((group) => {
      const { color, marker: mark } = looks[group.name], said = html("span");
      const sign = svg("svg", { viewBox: "-5 -5 10 10", class: "fl-sign", "aria-hidden": "true" }, svg("path", { class: "fl-mark", d: marker(mark, 0, 0) }));
      return { group, said, line: html("li", { style: `--fl-color:${color}` }, sign, html("strong", {}, people(group)), " ", said) };
    }),
  }));
  const root = html("div", { class: "fl-words" }, ...cards.map(({ policy, lines }) =>
    html("section", {}, html("p", { class: "fl-order" }, ORDER[policy]), html("ul", {}, ...lines.map(({ line }) => line)))), asked);
  const update = (results, _, setting) => {
    asked.textContent = demand(setting, capacity);
    for (const { policy, lines } of cards) {
      const result = results[policy];
      for (const { group, said, line } of lines) {
        said.textContent = sentence(result, group.members);
        line.classList.toggle("fl-unmet", group.members.some((t) => result.arrived[t] > 0 && result.x[t] < LEAST));
      }
    }
  };
  const describe = (results) => policies.map((policy) =>
    `${ORDER[policy]}. ` + rows.groups.map((group) => `${people(group)} ${sentence(results[policy], group.members)}.`).join(" ")).join(" ");
  return { root, update, describe };
}
