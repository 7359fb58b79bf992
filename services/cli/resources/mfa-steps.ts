import { type CliError, usage } from "../../terminal-client/exit.ts"
import type { Kind } from "../../terminal-client/names/kinds.ts"
import { chooseNamed } from "../../terminal-client/names/resolve.ts"
import { readUuid } from "../../../signer/core/uuid.ts"
import { valueOf } from "./fields.ts"
import type { ReadContext } from "./resource.ts"

const OPTION = "--require"

/** Methods that can name one credential or session profile, by the end of their names. */
const NAMED: { readonly [type: string]: Kind | "oauth" } = {
  AUTHENTICATION_TYPE_PASSKEY: "passkey",
  AUTHENTICATION_TYPE_API_KEY: "key",
  AUTHENTICATION_TYPE_SESSION: "session-profile",
  AUTHENTICATION_TYPE_OAUTH: "oauth",
}

type Context = Pick<ReadContext, "directory" | "members">
type Method = { type: string; id?: string }

/**
 * Steps of an MFA policy, one a text: `passkey`, `passkey:phone` for one of the user's credentials, and `passkey,email-otp` for
 * a choice.
 *
 * @throws {CliError} usage
 */
export async function readSteps(texts: readonly string[], context: Context): Promise<object[]> {
  const { AuthenticationTypeSchema } = await import("../../../proto/gen/countersign/api/v1/enums_pb.ts")
  const types = AuthenticationTypeSchema.values.filter(({ number }) => number !== 0).map(({ name }) => name)
  return Promise.all(
    texts.map(async (text) => ({
      any: await Promise.all(text.split(",").map((method) => readMethod(method, types, context))),
    })),
  )
}

async function readMethod(text: string, types: readonly string[], context: Context): Promise<Method> {
  const [word = "", ...rest] = text.split(":")
  const type = valueOf(types, word, OPTION)
  const name = rest.join(":")
  if (name === "") return { type }
  const kind = NAMED[type]
  if (kind === undefined) throw faultOfText(text, `${word} names no credential; write ${word} alone`)
  if (readUuid(name) !== undefined) return { type, id: name.toLowerCase() }
  return { type, id: await idOf(kind, name, text, context) }
}

async function idOf(
  kind: Kind | "oauth",
  name: string,
  text: string,
  { directory, members: { userId } }: Context,
): Promise<string> {
  if (kind === "session-profile") return directory.idOf(kind, name)
  if (typeof userId !== "string")
    throw faultOfText(text, "a credential is one of a user; name the user with --user")
  if (kind !== "oauth") return directory.idOf(kind, name, { userId })
  const { oauthProviders } = await directory.find("user", userId)
  const identity = chooseNamed((oauthProviders ?? []) as { [member: string]: unknown }[], name, {
    id: "providerId",
    noun: "identity of the user",
    names: ["providerName"],
  })
  return String(identity["providerId"])
}

function faultOfText(text: string, sentence: string): CliError {
  return usage(`${OPTION} ${text}: ${sentence}`)
}
