// Words of policies and velocity controls.
import { Effect } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { MemberPhrases } from "../../words/member-phrases.ts"
import type { FamilyWriters } from "../../words/writer.ts"
import { limitText, sourceText } from "./words/velocity.ts"

type NewPolicy = {
  readonly policyName: string
  readonly effect: Effect
  readonly condition?: string | undefined
  readonly consensus?: string | undefined
}
type ChangedPolicy = {
  readonly policyId: string
  readonly policyName?: string | undefined
  readonly policyEffect?: Effect | undefined
  readonly policyCondition?: string | undefined
  readonly policyConsensus?: string | undefined
}

export const writers = {
  createPolicyIntentV3: (members) => `Create policy ${newPolicy(members)}`,
  createPoliciesIntent: (members) => `Create policies ${members.list("policies", newPolicy)}`,
  updatePolicyIntent: changedPolicy,
  updatePolicyIntentV2: (members) =>
    `${changedPolicy(members)}${members.ifSet("time", (time) => `, time ${time}`)}`,
  deletePolicyIntent: (members) => `Delete policy ${members.say("policyId")}`,
  deletePoliciesIntent: (members) => `Delete policies ${members.say("policyIds")}`,
  createVelocityControlIntent(members) {
    const { dataSource, aggregation } = members.raw
    const counts = dataSource === undefined ? "" : `: it counts ${sourceText(dataSource)}`
    const holds = aggregation === undefined ? "" : `; it holds while ${limitText(aggregation)}`
    return `Create velocity control ${members.say("name")}${counts}${holds}`
  },
  deleteVelocityControlIntent: (members) => `Delete velocity control ${members.say("velocityControlId")}`,
} satisfies FamilyWriters

function newPolicy(members: MemberPhrases<NewPolicy>): string {
  members.mention("effect")
  const effect = members.raw.effect === Effect.DENY ? "denies" : "allows"
  const when = members.ifSet("condition", (condition) => ` where ${condition}`) || " everything"
  return `${members.say("policyName")}, which ${effect}${when}${members.ifSet("consensus", (consensus) => `, with consensus ${consensus}`)}`
}

const effectWords = (word: string) => `, effect ${word}`

function changedPolicy(members: MemberPhrases<ChangedPolicy>): string {
  return `Change policy ${members.say("policyId")}${members.ifSet("policyName", (name) => `: name ${name}`)}${members.ifSet("policyEffect", effectWords)}${members.ifSet("policyCondition", (condition) => `, condition ${condition}`)}${members.ifSet("policyConsensus", (consensus) => `, consensus ${consensus}`)}`
}
