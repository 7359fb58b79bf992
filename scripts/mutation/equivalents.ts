/** A change of the source that changes no behaviour, with the reason. `original` and `replacement` as in the results. */
export type Equivalent = { file: string; original: string; replacement: string; reason: string }

/** Mutants that no test can notice. Every other survivor is a missing test. */
export const equivalents: readonly Equivalent[] = [
  {
    file: "signer/enclave/execution/steps/locks.ts",
    original: "() => shared.delete(done)",
    replacement: "() => undefined",
    reason: "It frees memory only: a settled task in the set delays nobody.",
  },
  {
    file: "signer/enclave/execution/steps/app-proofs.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "A text among the new records is of no kind that has addresses.",
  },
  {
    file: "signer/enclave/execution/steps/outcome.ts",
    original: "receipt !== undefined",
    replacement: "true",
    reason: "The protobuf library leaves a member out that is undefined.",
  },
  ...[
    { original: 'document.parentId === ""', replacement: "false" },
    { original: '""', replacement: '"Stryker was here!"' },
  ].map((change) => ({
    ...change,
    file: "signer/enclave/execution/steps/authenticate.ts",
    reason: "An organization without a parent governs itself, and its own credentials were looked up before.",
  })),
  {
    file: "signer/enclave/execution/steps/decision-input.ts",
    original: "roots.size === 0",
    replacement: "false",
    reason: "Facts of no roots are one item that shows nothing; the shorter way saves time only.",
  },
  {
    file: "signer/enclave/execution/steps/decision-input.ts",
    original: "mfaRoots.length === 0",
    replacement: "false",
    reason: "With no roots to add, the new set has the same roots; the shorter way saves time only.",
  },
  ...[
    { original: "known !== undefined", replacement: "false" },
    { original: "compiledScopes.set(scope, compiled)", replacement: ";" },
  ].map((change) => ({
    ...change,
    file: "signer/enclave/execution/steps/decision-input.ts",
    reason: "A scope always compiles to the same: keeping it saves time only.",
  })),
  {
    file: "signer/enclave/execution/vote.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "The proofs are made from the rest of the outcome and then take the place of this list.",
  },
  {
    file: "signer/enclave/execution/vote.ts",
    original: "{ effects: undefined, failure: undefined }",
    replacement: "{}",
    reason: "A member that is missing reads as undefined.",
  },
  {
    file: "signer/enclave/execution/vote.ts",
    original: "/^sha256:/",
    replacement: "/sha256:/",
    reason: "The reader of the body takes the prefix in front of 64 hexadecimal digits only.",
  },
  {
    file: "signer/core/policy/decision/decide.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "The steps before policies look at no policy's result.",
  },
  {
    file: "signer/core/policy/decision/decide.ts",
    original: "results[index]?.outcome",
    replacement: "results[index].outcome",
    reason: "Every item has a result of every policy.",
  },
  {
    file: "signer/core/policy/decision/decide.ts",
    original: "other !== undefined",
    replacement: "true",
    reason: "Every item has a result of every policy.",
  },
  {
    file: "signer/core/policy/decision/decide.ts",
    original: "STRICTNESS.indexOf(other) > STRICTNESS.indexOf(one)",
    replacement: "STRICTNESS.indexOf(other) >= STRICTNESS.indexOf(one)",
    reason: "Outcomes of one rank are the same outcome.",
  },
  {
    file: "signer/core/policy/decision/mfa.ts",
    original: "mfaPolicies.length === 0",
    replacement: "false",
    reason: "Without policies none matches; the shorter way saves time only.",
  },
  {
    file: "signer/core/policy/decision/mfa.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "Every index of a step has a step.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "size === 0 || group === undefined",
    replacement: "size === 0 && group === undefined",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "size === 0",
    replacement: "false",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "group === undefined",
    replacement: "false",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "size === 0",
    replacement: "true",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "taken === 0 || votes === undefined",
    replacement: "taken === 0 && votes === undefined",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "taken === 0",
    replacement: "false",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "votes === undefined",
    replacement: "false",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "taken === 0",
    replacement: "true",
    reason:
      "The bounds leave nothing to take after the last; nothing more to take ends earlier to save time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "Math.max(0, size - later)",
    replacement: "Math.min(0, size - later)",
    reason: "A lower bound tries numbers that later votes cannot complete; it adds no combination.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "votesByClass.length - index - 1",
    replacement: "votesByClass.length - index + 1",
    reason: "A lower bound tries numbers that later votes cannot complete; it adds no combination.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "votesByClass.length - index",
    replacement: "votesByClass.length + index",
    reason: "A lower bound tries numbers that later votes cannot complete; it adds no combination.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: "this.#budgets.searches.left === 0",
    replacement: "false",
    reason: "The search itself looks at its budget; the shorter way saves time only.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: "this.#pendingConsensus(policy)?.hasContributingVote",
    replacement: "this.#pendingConsensus(policy).hasContributingVote",
    reason: "A consensus that is absent holds, and a broken one is an error: neither is searched.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: '"no"',
    replacement: '""',
    reason: "A consensus that is absent holds, and a broken one is an error: neither is searched.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: 'result === "true" || result === "false"',
    replacement: "false",
    reason: "An expression that has a value lacks no root that it requires.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: 'result === "true" || result === "false"',
    replacement: 'result === "true" && result === "false"',
    reason: "An expression that has a value lacks no root that it requires.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: 'result === "true"',
    replacement: "false",
    reason: "An expression that has a value lacks no root that it requires.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: '"true"',
    replacement: '""',
    reason: "An expression that has a value lacks no root that it requires.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: 'result === "false"',
    replacement: "false",
    reason: "An expression that has a value lacks no root that it requires.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: '"false"',
    replacement: '""',
    reason: "An expression that has a value lacks no root that it requires.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: '"error"',
    replacement: '""',
    reason: "Every text but the four others stands for an error.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "Without the facts no condition is evaluated.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: "organization.document.policies.length > 0",
    replacement: "true",
    reason: "Without policies none counts a vote; the shorter way saves time only.",
  },
  {
    file: "signer/core/policy/decision/policy-evaluator.ts",
    original: "organization.document.policies.length > 0",
    replacement: "organization.document.policies.length >= 0",
    reason: "Without policies none counts a vote; the shorter way saves time only.",
  },
  {
    file: "signer/enclave/ledger/mac.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Every item has a tag.",
  },
  {
    file: "signer/enclave/ledger/mac.ts",
    original: 'typeof field === "string"',
    replacement: "true",
    reason: "The byte length of bytes is their length.",
  },
  {
    file: "signer/core/policy/decision/credentials.ts",
    original: "lasting !== undefined",
    replacement: "false",
    reason: "Votes that last are found once for a user; finding them each time takes time only.",
  },
  {
    file: "signer/core/policy/decision/credentials.ts",
    original: "({ expiresAtMs }) => expiresAtMs === 0n",
    replacement: "() => undefined",
    reason: "Votes that last are found once for a user; finding them each time takes time only.",
  },
  {
    file: "signer/core/policy/decision/credentials.ts",
    original: "expiresAtMs === 0n",
    replacement: "false",
    reason: "Votes that last are found once for a user; finding them each time takes time only.",
  },
  {
    file: "signer/core/policy/decision/credentials.ts",
    original: "expiresAtMs === 0n",
    replacement: "expiresAtMs !== 0n",
    reason: "Votes that last are found once for a user; finding them each time takes time only.",
  },
  {
    file: "signer/core/policy/decision/consensus-search.ts",
    original: "names.length === 1",
    replacement: "false",
    reason: "Both names of a group tell the same groups apart; the shorter one saves time only.",
  },
  {
    file: "signer/enclave/ledger/trusted-clock.ts",
    original: "aheadMs > 0",
    replacement: "aheadMs >= 0",
    reason: "A jump of no length leaves the open jump as it is.",
  },
  {
    file: "signer/enclave/ledger/trusted-clock.ts",
    original: "wallMs < floorMs",
    replacement: "wallMs <= floorMs",
    reason: "A clock at the ledger's highest time is never refused.",
  },
  ...["true", "digits <= to"].map((replacement) => ({
    file: "signer/core/stamp/der.ts",
    original: "digits < to",
    replacement,
    reason: "The byte after an integer is a tag or missing, never zero, and ends the loop too.",
  })),
  {
    file: "signer/core/stamp/keys.ts",
    original: "field === undefined",
    replacement: "false",
    reason: "A member that is undefined is no member: the refusal names no field either way.",
  },
  {
    file: "signer/core/stamp/keys.ts",
    original: "{\n    return undefined // not the x coordinate of a point\n  }",
    replacement: "{}",
    reason: "A function that ends without a value returns undefined, which its callers take for the same.",
  },
  {
    file: "signer/core/stamp/keys.ts",
    original: "{\n    return false\n  }",
    replacement: "{}",
    reason: "A function that ends without a value returns undefined, which its callers take for the same.",
  },
  ...[
    '/^\\{"publicKey":"([0-9a-fA-F])","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
    '/^\\{"publicKey":"([^0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
    '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_])","signature":"([0-9a-fA-F]*)"\\}$/',
    '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([^A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
    '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F])"\\}$/',
    '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([^0-9a-fA-F]*)"\\}$/',
  ].map((replacement) => ({
    file: "signer/core/stamp/read-stamp.ts",
    original: '/^\\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\\}$/',
    replacement,
    reason: "The JSON reader takes a text that does not match. One that matches too widely is refused.",
  })),
  {
    file: "signer/core/stamp/read-stamp.ts",
    original: "published !== null",
    replacement: "false",
    reason: "The JSON reader reads the same from this form; the shorter way saves time only.",
  },
  {
    file: "signer/core/stamp/read-stamp.ts",
    original:
      "{\n    const [publicKey, scheme, signature] = published.slice(1) as [string, string, string]\n    return { publicKey, scheme, signature }\n  }",
    replacement: "{}",
    reason: "The JSON reader reads the same from this form; the shorter way saves time only.",
  },
  {
    file: "signer/core/stamp/verify.ts",
    original:
      'case "SIGNATURE_SCHEME_TK_API_P256":\n      return verifyEcdsaSha256(key, "P256", signature, body)',
    replacement: 'case "SIGNATURE_SCHEME_TK_API_P256":',
    reason: "OpenSSL refuses scalars that are not below the order of the key's own curve.",
  },
  {
    file: "signer/core/stamp/verify.ts",
    original: "signature.length === ED25519_SIGNATURE_BYTES",
    replacement: "true",
    reason: "OpenSSL refuses signatures of another length; the comparison does not rely on it.",
  },
  {
    file: "signer/core/stamp/verify.ts",
    original: '"STAMP_INVALID"',
    replacement: '""',
    reason: "It cannot occur in a stamp, as the comment in the source says.",
  },
  {
    file: "signer/enclave/execution/voting/mfa-progress.ts",
    original: "activity.authority === Authority.OWN_CREDENTIAL",
    replacement: "true",
    reason: "The decision below is by the right to one's own credentials for such activities only.",
  },
  {
    file: "signer/enclave/execution/voting/mfa-progress.ts",
    original: 'decision.outcome === "allow"',
    replacement: "true",
    reason: "A decision by the right to one's own credentials is always to allow.",
  },
  {
    file: "signer/enclave/execution/voting/mfa-progress.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    reason: "A text among the counted votes is none of the activity's votes.",
  },
  {
    file: "signer/enclave/execution/voting/rights.ts",
    original: '"counted"',
    replacement: '""',
    reason: "Every text but the other one stands for a vote that counts.",
  },
  {
    file: "signer/enclave/execution/voting/rights.ts",
    original: "vote.stamp?.credential",
    replacement: "vote.stamp.credential",
    reason: "Every stored vote has its stamp.",
  },
  {
    file: "signer/enclave/execution/voting/rights.ts",
    original: "user.mfaPolicies.length === 0",
    replacement: "false",
    reason: "Without policies there is no step to meet; the shorter way saves time only.",
  },
  ...[
    {
      original: "approvalOf(owner).credentials.filter(({ id }) => !earlier.some((one) => one.id === id))",
      replacement: "approvalOf(owner).credentials",
    },
    { original: "earlier.some((one) => one.id === id)", replacement: "earlier.every(one => one.id === id)" },
    { original: "(one) => one.id === id", replacement: "() => undefined" },
    { original: "one.id === id", replacement: "false" },
  ].map((change) => ({
    ...change,
    file: "signer/enclave/execution/voting/rights.ts",
    reason: "Credentials of one origin meet one step together, however often one of them is counted.",
  })),
  {
    file: "signer/enclave/ledger/fault.ts",
    original: 'typeof value === "number"',
    replacement: "true",
    reason: "It tells the compiler the type: only numbers are safe integers.",
  },
  ...[
    {
      original:
        "mfaPolicies.length === 0 ||\n      userId === this.submitterId ||\n      earlier.some(({ user }) => user.userId === userId)",
      replacements: [
        "false",
        "(mfaPolicies.length === 0 || userId === this.submitterId) && earlier.some(({\n  user\n}) => user.userId === userId)",
      ],
    },
    {
      original: "mfaPolicies.length === 0 ||\n      userId === this.submitterId",
      replacements: ["false", "mfaPolicies.length === 0 && userId === this.submitterId"],
    },
    { original: "mfaPolicies.length === 0", replacements: ["false"] },
    { original: "userId === this.submitterId", replacements: ["false"] },
    { original: "({ user }) => user.userId === userId", replacements: ["() => undefined"] },
    { original: "user.userId === userId", replacements: ["false"] },
    { original: "isKnown && this.#input", replacements: ["false"] },
  ].flatMap(({ original, replacements }) =>
    replacements.map((replacement) => ({
      original,
      replacement,
      file: "signer/enclave/execution/voting/pending.ts",
      reason: "Facts that are gathered again are the same; keeping them saves time only.",
    })),
  ),
  {
    file: "signer/enclave/execution/voting/pending.ts",
    original: "selection === VoteSelection.APPROVED",
    replacement: "true",
    reason: "A rejection ends its activity: no pending one has any.",
  },
  {
    file: "signer/enclave/execution/state/archived-records.ts",
    original: "field === undefined",
    replacement: "false",
    reason: "A member that is undefined is no member: the refusal names no field either way.",
  },
  {
    file: "signer/enclave/execution/state/archived-records.ts",
    original: "bytes === undefined",
    replacement: "false",
    reason: "The check before has found the row that is read here.",
  },
  {
    file: "signer/enclave/execution/state/archived-records.ts",
    original: 'throw new Error("the archive has every living record")',
    replacement: ";",
    reason: "The check before has found the row that is read here.",
  },
  {
    file: "signer/enclave/execution/state/ledger-keys.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "The text before the first separator is always there.",
  },
  {
    file: "signer/enclave/execution/state/organizations.ts",
    original: "head === undefined",
    replacement: "false",
    reason: "The caller has found the head before.",
  },
  {
    file: "signer/enclave/execution/state/organizations.ts",
    original: "!this.any",
    replacement: "false",
    reason: "Among no documents none is found; the shorter way saves time only.",
  },
  {
    file: "signer/enclave/execution/state/rollback.ts",
    original: "version > givenUpVersion",
    replacement: "version >= givenUpVersion",
    reason: "Of two equal versions either is the result.",
  },
  {
    file: "signer/enclave/execution/state/sessions.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    reason: "Every session row has both ids.",
  },
]
