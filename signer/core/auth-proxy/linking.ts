import { create } from "@bufbuild/protobuf"
import { FieldRuleSchema, Form } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { faultOfString } from "../../../proto/rules.ts"
import type { IdToken } from "../oidc/token.ts"
import type { EffectiveSettings } from "./settings.ts"

/** The only issuer whose statements about addresses link: published clients link by no other. */
const GOOGLE = "https://accounts.google.com"

const EMAIL_RULE = create(FieldRuleSchema, { form: Form.EMAIL })

/**
 * The e-mail address by which an identity may be linked to a user: Google says that it verified the address, for an
 * application of the settings. Undefined: there is none. The token itself is not verified here.
 */
export function linkableAddress(
  { issuer, audience, claims }: Pick<IdToken, "issuer" | "audience" | "claims">,
  { socialLinkingClientIds }: Pick<EffectiveSettings, "socialLinkingClientIds">,
): string | undefined {
  const { email, email_verified: isVerified } = claims
  if (issuer !== GOOGLE || !socialLinkingClientIds.includes(audience) || isVerified !== true) return undefined
  return typeof email === "string" && faultOfString(email, EMAIL_RULE) === undefined ? email : undefined
}
