// Words of the auth proxy.
import type { FamilyWriters } from "../../words/writer.ts"

type ProxyChange = { readonly allowedOrigins: readonly string[]; readonly resetMembers: readonly string[] }

export const writers = {
  enableAuthProxyIntent: () => `Switch the auth proxy on: ${OPEN} unless its settings list origins`,
  disableAuthProxyIntent: () => "Switch the auth proxy off",
  updateAuthProxyConfigIntent: (members) =>
    `Change the settings of the auth proxy${members.raw.allowedOrigins.length > 0 ? `, origins ${members.say("allowedOrigins")}` : ""}${members.raw.resetMembers.length > 0 ? `, reset ${members.say("resetMembers")}` : ""}${opensProxy(members.raw) ? `: ${OPEN}` : ""}`,
} satisfies FamilyWriters

const OPEN = "pages of every origin may use it"

/** True if no origin is listed after the change, or the list has the one that stands for all. */
function opensProxy({ allowedOrigins, resetMembers }: ProxyChange): boolean {
  const isEmptied = resetMembers.includes("allowedOrigins") && allowedOrigins.length === 0
  return isEmptied || allowedOrigins.includes("*")
}
