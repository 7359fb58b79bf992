import { z } from "zod"
import { CreateOauth2CredentialIntentSchema } from "../../proto/gen/countersign/api/v1/intents/auth_pb.ts"
import { CreateEmailTemplateIntentSchema } from "../../proto/gen/countersign/api/v1/intents/email_templates_pb.ts"
import { CreateFiatOnRampCredentialIntentSchema } from "../../proto/gen/countersign/api/v1/intents/on_ramp_pb.ts"
import {
  IpAllowlistIntentRuleSchema,
  SetIpAllowlistIntentSchema,
} from "../../proto/gen/countersign/api/v1/intents/organization_pb.ts"
import { CreatePrivateKeyTagIntentSchema } from "../../proto/gen/countersign/api/v1/intents/private_keys_pb.ts"
import { readIpBlock, writeIpBlock } from "../../signer/core/organization/ip-block.ts"
import { namesOf, textOf } from "./rules.ts"

// Sections of the file of an organization, beside those of file.ts.

/** A block of addresses in its one spelling, as the signer stores it. */
const cidr = textOf(IpAllowlistIntentRuleSchema, "cidr").transform((text, context) => {
  const block = readIpBlock(text)
  if (block !== undefined) return writeIpBlock(block)
  context.addIssue({
    code: "custom",
    message: "must be a block in CIDR notation, like 192.0.2.0/24 or 2001:db8::/48",
  })
  return z.NEVER
})

/** A list of addresses. Without `publicKey` it is the organization's. */
export const ipAllowlist = z.strictObject({
  publicKey: textOf(SetIpAllowlistIntentSchema, "publicKey").toLowerCase().optional(),
  enabled: z.boolean().default(true),
  onEvaluationError: z.enum(["DENY", "ALLOW"]).default("DENY"),
  rules: z.array(z.strictObject({ cidr, label: textOf(IpAllowlistIntentRuleSchema, "label").optional() })),
})

/** The private keys have to exist. Without `privateKeys` those that have the tag keep it. */
export const privateKeyTag = z.strictObject({
  privateKeyTagName: textOf(CreatePrivateKeyTagIntentSchema, "privateKeyTagName"),
  privateKeys: z.array(z.string()).optional(),
})

export const emailTemplate = z.strictObject({
  templateName: textOf(CreateEmailTemplateIntentSchema, "templateName"),
  templateType: namesOf(CreateEmailTemplateIntentSchema, "templateType"),
  subject: textOf(CreateEmailTemplateIntentSchema, "subject").optional(),
  text: textOf(CreateEmailTemplateIntentSchema, "text").optional(),
  html: textOf(CreateEmailTemplateIntentSchema, "html"),
})

/** A client at a provider. Its secret is in no file of an organization. */
export const oauth2Credential = z.strictObject({
  provider: namesOf(CreateOauth2CredentialIntentSchema, "provider"),
  clientId: textOf(CreateOauth2CredentialIntentSchema, "clientId"),
})

/** Keys that an on-ramp provider issued, live or of its test system. Its secret keys are in no file of an organization. */
export const onRampCredential = z.strictObject({
  onrampProvider: namesOf(CreateFiatOnRampCredentialIntentSchema, "onrampProvider"),
  projectId: textOf(CreateFiatOnRampCredentialIntentSchema, "projectId").optional(),
  publishableApiKey: textOf(CreateFiatOnRampCredentialIntentSchema, "publishableApiKey"),
  sandboxMode: z.boolean().default(false),
})

export type FileOnRampCredential = z.output<typeof onRampCredential>
export type FileIpAllowlist = z.output<typeof ipAllowlist>
export type FilePrivateKeyTag = z.output<typeof privateKeyTag>
export type FileEmailTemplate = z.output<typeof emailTemplate>
export type FileOauth2Credential = z.output<typeof oauth2Credential>

/** `x:app`: a client as options and plans name it. */
export function clientName({ provider, clientId }: { provider: string; clientId: string }): string {
  return `${provider.replace("OAUTH2_PROVIDER_", "").toLowerCase()}:${clientId}`
}
