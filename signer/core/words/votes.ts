// Words of votes, which belong to no module.
import type { FamilyWriters } from "./writer.ts"

export const votes = {
  approveActivityIntent: (members) => `Approve the request ${members.say("fingerprint")}`,
  rejectActivityIntent: (members) => `Reject the request ${members.say("fingerprint")}`,
} satisfies FamilyWriters
