import { Oauth2Provider } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { FieldRuleSchema, Form } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { faultOfString } from "../../../proto/rules.ts"
import { isJsonObject } from "../../../proto/strict-json.ts"
import { create } from "@bufbuild/protobuf"
import type { ProviderOrigin } from "../ask-provider.ts"

/** Origins of the providers' APIs. No request names a host: these are all that are asked. */
export type Oauth2Origins = { x: ProviderOrigin; discord: ProviderOrigin }

/** A user as their provider describes them. `email`: an address that the provider verified; undefined: none. */
export type ProviderUser = { id: string; email: string | undefined }

/** The API of a provider, as its documentation has it. */
export type ProviderApi = {
  name: "X" | "Discord"
  origin: keyof Oauth2Origins
  tokenPath: string
  userPath: string
  /** The user of a reply; undefined: it names none. */
  readUser: (reply: unknown) => ProviderUser | undefined
}

const X: ProviderApi = {
  name: "X",
  origin: "x",
  tokenPath: "/2/oauth2/token",
  userPath: "/2/users/me",
  readUser: (reply) => {
    const id = isJsonObject(reply) && isJsonObject(reply["data"]) ? readId(reply["data"]["id"]) : undefined
    return id === undefined ? undefined : { id, email: undefined }
  },
}

const DISCORD: ProviderApi = {
  name: "Discord",
  origin: "discord",
  tokenPath: "/api/oauth2/token",
  userPath: "/api/users/@me",
  readUser: (reply) => {
    const id = isJsonObject(reply) ? readId(reply["id"]) : undefined
    if (id === undefined || !isJsonObject(reply)) return undefined
    return { id, email: reply["verified"] === true ? readEmail(reply["email"]) : undefined }
  },
}

const APIS: ReadonlyMap<Oauth2Provider, ProviderApi> = new Map([
  [Oauth2Provider.X, X],
  [Oauth2Provider.DISCORD, DISCORD],
])

/** Undefined: no other is asked. */
export function providerApi(provider: Oauth2Provider): ProviderApi | undefined {
  return APIS.get(provider)
}

/** Both providers count their users with 64-bit numbers and send them as text. */
function readId(value: unknown): string | undefined {
  return typeof value === "string" && /^[1-9][0-9]{0,19}$/.test(value) ? value : undefined
}

const EMAIL = create(FieldRuleSchema, { form: Form.EMAIL })

function readEmail(value: unknown): string | undefined {
  return typeof value === "string" && faultOfString(value, EMAIL) === undefined ? value : undefined
}
