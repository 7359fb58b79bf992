import type { MemberPhrases } from "./member-phrases.ts"

export type NamedUser = { readonly userName: string; readonly userEmail?: string | undefined }

/** "alice" (alice@example.com). */
export function newUser(user: MemberPhrases<NamedUser>): string {
  return `${user.say("userName")}${user.ifSet("userEmail", (email) => ` (${email})`)}`
}
