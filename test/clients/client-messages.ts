// Bodies of sign-ups and logins by code, with the messages that @turnkey/core signs.
import { createRequire } from "node:module"
import type { TestKey } from "../harness/stamper.ts"
import { clientSignature } from "../harness/verification.ts"

type SignUpMembers = {
  verificationToken: string
  email?: string
  apiKeys?: object[]
  authenticators?: object[]
  oauthProviders?: object[]
}

/** Functions of @turnkey/core, which @turnkey/solana brings along. */
type PublishedMessages = {
  getClientSignatureMessageForSignup(members: SignUpMembers): { message: string; publicKey: string }
  getClientSignatureMessageForLogin(login: { verificationToken: string }): {
    message: string
    publicKey: string
  }
}
const published = createRequire(import.meta.resolve("@turnkey/solana"))(
  "@turnkey/core/dist/utils.js",
) as PublishedMessages

/** Lists of a sign-up by code alone. */
export const EMPTY = { apiKeys: [], authenticators: [], oauthProviders: [] }

/** The body of a sign-up as the published client sends it, signed by the token's key. */
export function signUpBody(verificationToken: string, key: TestKey, email: string, lists: object = EMPTY) {
  const { message } = published.getClientSignatureMessageForSignup({ verificationToken, email, ...lists })
  const named = { userName: email, organizationName: `sub-org-${email}`, userEmail: email }
  return { ...named, ...lists, verificationToken, clientSignature: clientSignature(key, message) }
}

/** As clients before version 2 named the same members. */
export function older<Body extends { clientSignature: { message: string } }>(body: Body, key: TestKey): Body {
  const message = body.clientSignature.message.replace('{"signupV2":', '{"signup":')
  return { ...body, clientSignature: clientSignature(key, message) }
}

export function loginBody(verificationToken: string, key: TestKey) {
  const { message, publicKey } = published.getClientSignatureMessageForLogin({ verificationToken })
  return { verificationToken, publicKey, clientSignature: clientSignature(key, message) }
}
