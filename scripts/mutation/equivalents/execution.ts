import { inFolder } from "./equivalent.ts"

export const execution = inFolder("signer/enclave/execution", {
  "state/archived-records.ts": [
    {
      reason: "A member that is undefined is no member: the refusal names no field either way.",
      changes: [["field === undefined", "false"]],
    },
    {
      reason: "The check before has found the row that is read here.",
      changes: [
        ["bytes === undefined", "false"],
        ['throw new Error("the archive has every living record")', ";"],
      ],
    },
  ],
  "state/identity-register.ts": [
    {
      reason: "Of a hold that leaves or stays only its digest and its origin are read.",
      changes: [
        ["false", "true"],
        ["false", "true"],
        ["{ identity, credentialId: authenticatorId, expiresMs: 0n }", "{}"],
      ],
    },
    {
      reason: "A text is neither a digest nor a credential with an id.",
      changes: [
        ["[]", '["Stryker was here"]'],
        ["[]", '["Stryker was here"]'],
      ],
    },
  ],
  "state/identity-tally.ts": [
    {
      reason: "No id is below that of zeros, and a sub-organization enters once.",
      changes: [
        ["tally.first !== NIL_UUID", "true"],
        ["organizationId < tally.first", "organizationId <= tally.first"],
      ],
    },
    {
      reason:
        "A sub-organization that added the identity is not its first, and the last that leaves is, or the first left before.",
      changes: [
        ['hold.origin === "created"', "true"],
        ["left.created === 0n", "false"],
      ],
    },
    {
      reason: "Only what was created or added can be proven.",
      changes: [["proven === 0n", "true"]],
    },
  ],
  "state/ledger-keys.ts": [
    {
      reason: "The text before the first separator is always there.",
      changes: [
        ['""', '"Stryker was here!"'],
        ['""', '"Stryker was here!"'],
      ],
    },
  ],
  "state/organizations.ts": [
    {
      reason: "The caller has found the head before.",
      changes: [["head === undefined", "false"]],
    },
    {
      reason: "Among no documents none is found; the shorter way saves time only.",
      changes: [["!this.any", "false"]],
    },
  ],
  "state/request.ts": [
    {
      reason: "The readers of JSON and of messages throw no other error.",
      changes: [
        ["!(cause instanceof StrictJsonError)", "false"],
        ["!(cause instanceof ReadFault)", "false"],
      ],
    },
  ],
  "state/rollback.ts": [
    {
      reason: "Of two equal versions either is the result.",
      changes: [["version > givenUpVersion", "version >= givenUpVersion"]],
    },
  ],
  "state/sessions.ts": [
    {
      reason: "Every session row has both ids.",
      changes: [
        ['""', '"Stryker was here!"'],
        ['""', '"Stryker was here!"'],
      ],
    },
  ],
  "steps/app-proofs.ts": [
    {
      reason: "A text among the new records is of no kind that has addresses.",
      changes: [
        ["[]", '["Stryker was here"]'],
        ["[]", '["Stryker was here"]'],
      ],
    },
  ],
  "steps/authenticate.ts": [
    {
      reason:
        "An organization without a parent governs itself, and its own credentials were looked up before.",
      changes: [
        ['document.parentId === ""', "false"],
        ['""', '"Stryker was here!"'],
      ],
    },
  ],
  "steps/decision-input.ts": [
    {
      reason: "Facts of no roots are one item that shows nothing; the shorter way saves time only.",
      changes: [["roots.size === 0", "false"]],
    },
    {
      reason: "With no roots to add, the new set has the same roots; the shorter way saves time only.",
      changes: [["mfaRoots.length === 0", "false"]],
    },
    {
      reason: "A scope always compiles to the same: keeping it saves time only.",
      changes: [
        ["known !== undefined", "false"],
        ["compiledScopes.set(scope, compiled)", ";"],
      ],
    },
  ],
  "steps/locks.ts": [
    {
      reason: "It frees memory only: a settled task in the set delays nobody.",
      changes: [["() => shared.delete(done)", "() => undefined"]],
    },
  ],
  "steps/family-login.ts": [
    {
      reason: "A tally more leads to another home or to a refusal, never to none.",
      changes: [["ofKey?.organizationId", "ofKey.organizationId"]],
    },
    {
      reason: "Keys that are computed again are the same; keeping them saves time only.",
      changes: [
        ["known !== undefined", "false"],
        ["fittingKeysByRequest.set(request, keys)", ";"],
      ],
    },
    {
      reason: "Keys are computed for no attested stamp: it names its identity itself.",
      changes: [
        ['stamp.kind === "attested"', "false"],
        ['"attested"', '""'],
        ["[]", '["Stryker was here"]'],
      ],
    },
    {
      reason: "Only candidates of the parent are asked for it.",
      changes: [["false", "true"]],
    },
    {
      reason: "A credential of the parent and a hold of a sub-organization never have the same id.",
      changes: [
        ["id < own.id", "id <= own.id"],
        ["id < tally.since", "id <= tally.since"],
        ["one.id < other.id", "one.id <= other.id"],
      ],
    },
  ],
  "steps/outcome.ts": [
    {
      reason: "The protobuf library leaves a member out that is undefined.",
      changes: [["receipt !== undefined", "true"]],
    },
  ],
  "execute.ts": [
    {
      reason: "The rows of the deployment are verified sooner.",
      changes: [
        ['order.turnOf === ""', "false"],
        ['""', '"Stryker was here!"'],
      ],
    },
    {
      reason: "Rows that are verified take no step; the shorter way saves time only.",
      changes: [["request.organizationId === order.turnOf", "false"]],
    },
    {
      reason: "No row is looked for by a text.",
      changes: [["[]", '["Stryker was here"]']],
    },
    {
      reason: "A verification that is over delays nobody; rows that are damaged fail it again.",
      changes: [["() =>\n      this.#preparing.delete(organizationId)", "() => undefined"]],
    },
    {
      reason: "Policies that are compiled take no step; the shorter way saves time only.",
      changes: [
        ["!isCompiled(current.deciding)", "true"],
        ["!isCompiled(current.deciding)", "true"],
      ],
    },
    {
      reason:
        "No organization has an empty id: its lock delays logins of organizations without a parent alone.",
      changes: [
        ['parentId !== ""', "true"],
        ['""', '"Stryker was here!"'],
      ],
    },
    {
      reason: "What is not compiled in slices is compiled at once.",
      changes: [["round < MAX_COMPILATIONS", "round <= MAX_COMPILATIONS"]],
    },
    {
      reason: "Every activity that signs is served.",
      changes: [["requireServed(request.activity)", ";"]],
    },
    {
      reason: "A body that waits has the row of its fingerprint too; the shorter way saves a read.",
      changes: [["this.#pending.has(organizationId, fingerprint)", "false"]],
    },
  ],
  "submission.ts": [
    {
      reason: "An activity that waits is stored alike, alone or beside others.",
      changes: [["status === COMPLETED", "true"]],
    },
  ],
  "vote.ts": [
    {
      reason: "The proofs are made from the rest of the outcome and then take the place of this list.",
      changes: [["[]", '["Stryker was here"]']],
    },
    {
      reason: "A member that is missing reads as undefined.",
      changes: [["{ effects: undefined, failure: undefined }", "{}"]],
    },
    {
      reason: "The reader of the body takes the prefix in front of 64 hexadecimal digits only.",
      changes: [["/^sha256:/", "/sha256:/"]],
    },
  ],
})
