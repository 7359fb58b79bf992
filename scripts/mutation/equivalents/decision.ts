import { inFolder } from "./equivalent.ts"

export const decision = inFolder("signer/core/policy/decision", {
  "consensus-search.ts": [
    {
      reason:
        "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
      changes: [
        ["size === 0 || group === undefined", "size === 0 && group === undefined"],
        ["size === 0", "false"],
        ["group === undefined", "false"],
        ["size === 0", "true"],
        ["taken === 0 || votes === undefined", "taken === 0 && votes === undefined"],
        ["taken === 0", "false"],
        ["votes === undefined", "false"],
        ["taken === 0", "true"],
      ],
    },
    {
      reason: "A lower bound tries numbers that later votes cannot complete; it adds no combination.",
      changes: [
        ["Math.max(0, size - later)", "Math.min(0, size - later)"],
        ["votesByClass.length - index - 1", "votesByClass.length - index + 1"],
        ["votesByClass.length - index", "votesByClass.length + index"],
      ],
    },
    {
      reason: "Both names of a group tell the same groups apart; the shorter one saves time only.",
      changes: [["names.length === 1", "false"]],
    },
  ],
  "credentials.ts": [
    {
      reason: "Votes that last are found once for a user; finding them each time takes time only.",
      changes: [
        ["lasting !== undefined", "false"],
        ["({ expiresAtMs }) => expiresAtMs === 0n", "() => undefined"],
        ["expiresAtMs === 0n", "false"],
        ["expiresAtMs === 0n", "expiresAtMs !== 0n"],
      ],
    },
  ],
  "decide.ts": [
    {
      reason: "The steps before policies look at no policy's result.",
      changes: [["[]", '["Stryker was here"]']],
    },
    {
      reason: "Every item has a result of every policy.",
      changes: [
        ["results[index]?.outcome", "results[index].outcome"],
        ["other !== undefined", "true"],
      ],
    },
    {
      reason: "Outcomes of one rank are the same outcome.",
      changes: [
        [
          "STRICTNESS.indexOf(other) > STRICTNESS.indexOf(one)",
          "STRICTNESS.indexOf(other) >= STRICTNESS.indexOf(one)",
        ],
      ],
    },
  ],
  "mfa.ts": [
    {
      reason: "Without policies none matches; the shorter way saves time only.",
      changes: [["mfaPolicies.length === 0", "false"]],
    },
    {
      reason: "Every index of a step has a step.",
      changes: [["[]", '["Stryker was here"]']],
    },
  ],
  "pending-consensus.ts": [
    {
      reason: "The search itself looks at its budget; the shorter way saves time only.",
      changes: [["this.#budget.left === 0", "false"]],
    },
    {
      reason: "Where no predicate has an expression, each vote has this class by the longer way too.",
      changes: [
        [
          "predicates?.every(({ expression }) => expression === undefined) ?? false",
          "predicates?.every(({\n  expression\n}) => expression === undefined) && false",
        ],
        ["({ expression }) => expression === undefined", "() => undefined"],
        ["expression === undefined", "false"],
        ["this.#only !== undefined", "false"],
        ["predicates?.length", "predicates.length"],
      ],
    },
    {
      reason: "Any text that no other name and no predicate has tells the same apart.",
      changes: [
        ['""', '"Stryker was here!"'],
        ['""', '"Stryker was here!"'],
        ['""', '"Stryker was here!"'],
      ],
    },
    {
      reason: "Only a root has a name, and a consensus has the two roots of votes alone.",
      changes: [
        [
          'node.object.kind !== "root" || !VOTES.has(node.object.root)',
          'node.object.kind !== "root" && !VOTES.has(node.object.root)',
        ],
        ['node.object.kind !== "root"', "false"],
        ['node.kind === "root"', "true"],
        ['node.kind === "root" && VOTES.has(node.root)', 'node.kind === "root" || VOTES.has(node.root)'],
      ],
    },
    {
      reason: "An absent expression has no value to compare.",
      changes: [
        ["{ counts: true }", "{}"],
        ["true", "false"],
      ],
    },
    {
      reason: "Only literals have integers as values, and of two equal numbers either is the result.",
      changes: [
        ['node.kind === "literal"', "true"],
        ["node.value > largest", "node.value >= largest"],
        ["largest > MAX_COUNTED_VOTES", "largest >= MAX_COUNTED_VOTES"],
      ],
    },
  ],
  "policy-evaluator.ts": [
    {
      reason: "The search itself looks at its budget; the shorter way saves time only.",
      changes: [["this.#budgets.searches.left === 0", "false"]],
    },
    {
      reason: "A consensus that is absent holds, and a broken one is an error: neither is searched.",
      changes: [
        [
          "this.#pendingConsensus(policy)?.hasContributingVote",
          "this.#pendingConsensus(policy).hasContributingVote",
        ],
        ['"no"', '""'],
      ],
    },
    {
      reason: "An expression that has a value lacks no root that it requires.",
      changes: [
        ['result === "true" || result === "false"', "false"],
        ['result === "true" || result === "false"', 'result === "true" && result === "false"'],
        ['result === "true"', "false"],
        ['"true"', '""'],
        ['result === "false"', "false"],
        ['"false"', '""'],
      ],
    },
    {
      reason: "Every text but the four others stands for an error.",
      changes: [['"error"', '""']],
    },
    {
      reason: "Without the facts no condition is evaluated.",
      changes: [["[]", '["Stryker was here"]']],
    },
    {
      reason: "Without policies none counts a vote; the shorter way saves time only.",
      changes: [
        ["organization.document.policies.length > 0", "true"],
        ["organization.document.policies.length > 0", "organization.document.policies.length >= 0"],
      ],
    },
  ],
})
