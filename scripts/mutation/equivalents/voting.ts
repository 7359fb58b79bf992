import { inFolder } from "./equivalent.ts"

export const voting = inFolder("signer/enclave/execution/voting", {
  "mfa-progress.ts": [
    {
      reason: "The decision below is by the right to one's own credentials for such activities only.",
      changes: [["activity.authority === Authority.OWN_CREDENTIAL", "true"]],
    },
    {
      reason: "A decision by the right to one's own credentials is always to allow.",
      changes: [['decision.outcome === "allow"', "true"]],
    },
    {
      reason: "A text among the counted votes is none of the activity's votes.",
      changes: [["[]", '["Stryker was here"]']],
    },
  ],
  "pending.ts": [
    {
      reason: "Facts that are gathered again are the same; keeping them saves time only.",
      changes: [
        [
          "mfaPolicies.length === 0 ||\n      userId === this.submitterId ||\n      earlier.some(({ user }) => user.userId === userId)",
          "false",
        ],
        [
          "mfaPolicies.length === 0 ||\n      userId === this.submitterId ||\n      earlier.some(({ user }) => user.userId === userId)",
          "(mfaPolicies.length === 0 || userId === this.submitterId) && earlier.some(({\n  user\n}) => user.userId === userId)",
        ],
        ["mfaPolicies.length === 0 ||\n      userId === this.submitterId", "false"],
        [
          "mfaPolicies.length === 0 ||\n      userId === this.submitterId",
          "mfaPolicies.length === 0 && userId === this.submitterId",
        ],
        ["mfaPolicies.length === 0", "false"],
        ["userId === this.submitterId", "false"],
        ["({ user }) => user.userId === userId", "() => undefined"],
        ["user.userId === userId", "false"],
        ["isKnown && this.#input", "false"],
      ],
    },
    {
      reason: "A rejection ends its activity: no pending one has any.",
      changes: [["selection === VoteSelection.APPROVED", "true"]],
    },
  ],
  "rights.ts": [
    {
      reason: "Every text but the other one stands for a vote that counts.",
      changes: [['"counted"', '""']],
    },
    {
      reason: "Every stored vote has its stamp.",
      changes: [["vote.stamp?.credential", "vote.stamp.credential"]],
    },
    {
      reason: "Without policies there is no step to meet; the shorter way saves time only.",
      changes: [["user.mfaPolicies.length === 0", "false"]],
    },
    {
      reason: "Credentials of one origin meet one step together, however often one of them is counted.",
      changes: [
        [
          "approvalOf(owner).credentials.filter(({ id }) => !earlier.some((one) => one.id === id))",
          "approvalOf(owner).credentials",
        ],
        ["earlier.some((one) => one.id === id)", "earlier.every(one => one.id === id)"],
        ["(one) => one.id === id", "() => undefined"],
        ["one.id === id", "false"],
      ],
    },
  ],
})
