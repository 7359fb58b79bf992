// Words of on-ramp providers and purchases there.
import type { MemberPhrases } from "../../words/member-phrases.ts"
import type { FamilyWriters } from "../../words/writer.ts"

type Credential = { readonly onrampProvider: unknown; readonly publishableApiKey: string }

export const writers = {
  initFiatOnRampIntent: (members) =>
    `Buy ${members.say("cryptoCurrencyCode")} at ${members.say("onrampProvider")} for address ${members.say("walletAddress")} on ${members.say("network")}${members.ifSet("fiatCurrencyAmount", (amount) => `, for ${amount}`)}${members.ifSet("fiatCurrencyCode", (currency) => ` ${currency}`)}`,
  createFiatOnRampCredentialIntent: (members) => `Add a credential ${onRamp(members)}`,
  updateFiatOnRampCredentialIntent: (members) =>
    `Change on-ramp credential ${members.say("fiatOnrampCredentialId")}: ${onRamp(members)}`,
  deleteFiatOnRampCredentialIntent: (members) =>
    `Delete on-ramp credential ${members.say("fiatOnrampCredentialId")}`,
} satisfies FamilyWriters

function onRamp(members: MemberPhrases<Credential>): string {
  return `of ${members.say("onrampProvider")} with public key ${members.say("publishableApiKey")}`
}
