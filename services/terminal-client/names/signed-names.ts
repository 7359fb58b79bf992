import { existsSync } from "node:fs"
import { readSignedDocument } from "../../dashboard/api/signed-document.ts"
import { type Querying, query } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { membersOf, readTrustedPins } from "../pins.ts"
import { type Item, onRampName, type SignedKind } from "./kinds.ts"

type Entry = { readonly [member: string]: unknown }
type Entries = readonly Entry[]
type SignedUser = Entry & {
  apiKeys?: Entries
  authenticators?: Entries
  oauthProviders?: Entries
  mfaPolicies?: Entries
}
type Content = { users?: readonly SignedUser[] } & { readonly [list: string]: unknown }

/** Objects of an organization that stand in its signed document, in the form in which the API lists them. */
export type SignedNames = {
  /** `userId`: of this user alone. */
  list: (kind: SignedKind, userId?: string) => Item[]
}

/**
 * The names in the organization document that the pinned signer signed. Undefined: there are no pins. The API may show an older
 * document of the same organization.
 *
 * @throws {CliError} verificationFailed: it shows no document of this signer and organization
 */
export async function readSignedNames(
  organization: Querying,
  pinsFile: string,
): Promise<SignedNames | undefined> {
  if (!existsSync(pinsFile)) return undefined
  const content = await readSignedContent(organization, pinsFile)
  if (content === undefined)
    throw new CliError(
      ExitCode.verificationFailed,
      `the API shows no document of organization ${organization.organizationId} that the signer of ${pinsFile} signed: no name can be looked up. Nothing was stamped`,
    )
  return { list: (kind, userId) => LISTS[kind](content, userId?.toLowerCase()) }
}

/** The organization document that the pinned signer signed, as JSON; undefined: the API shows no such document. */
export async function readSignedContent(querying: Querying, pinsFile: string): Promise<Content | undefined> {
  const pins = membersOf(await readTrustedPins(pinsFile))
  const reply = await query<{ notarizedDocumentB64?: unknown }>(querying, "get_organization_document")
  try {
    const read = readSignedDocument(String(reply.notarizedDocumentB64), pins)
    const isOwn = read.organizationId === querying.organizationId.toLowerCase()
    return read.isSigned && isOwn ? (read.content as Content) : undefined
  } catch {
    return undefined
  }
}

type List = (content: Content, userId: string | undefined) => Item[]

const LISTS: { readonly [kind in SignedKind]: List } = {
  user: ({ users = [] }) => users.map(userOf),
  tag: (content) => tagsOf(content, "TAG_TYPE_USER"),
  "private-key-tag": (content) => tagsOf(content, "TAG_TYPE_PRIVATE_KEY"),
  policy: (content) =>
    entries(content, "policies").map(({ policyId, name }) => ({ policyId, policyName: name })),
  key: (content, userId) => usersOf(content, userId).flatMap(({ apiKeys = [] }) => apiKeys.map(keyOf)),
  passkey: (content, userId) => usersOf(content, userId).flatMap((user) => userOf(user).authenticators),
  "mfa-policy": (content, userId) => usersOf(content, userId).flatMap((user) => userOf(user).mfaPolicies),
  "velocity-control": (content) => entries(content, "velocityControls").map((control) => ({ ...control })),
  invitation: (content) =>
    entries(content, "invitations")
      .filter(({ status }) => status === "INVITATION_STATUS_CREATED")
      .map(({ invitationId, userName, email }) => ({
        invitationId,
        receiverUserName: userName,
        receiverEmail: email,
      })),
  "on-ramp-credential": (content) =>
    entries(content, "onRampCredentials").map(({ credentialId, provider, sandbox, publishableApiKey }) => ({
      fiatOnrampCredentialId: credentialId,
      name: onRampName({ onrampProvider: provider, sandboxMode: sandbox }),
      publishableApiKey,
    })),
  "webhook-endpoint": (content) =>
    entries(content, "webhookEndpoints").map(({ endpointId, name, url }) => ({ endpointId, name, url })),
  "session-profile": (content) =>
    entries(content, "sessionProfiles").map(({ sessionProfileId, name }) => ({
      sessionProfileId,
      sessionProfileName: name,
    })),
}

function entries(content: Content, list: string): Entries {
  return (content[list] ?? []) as Entries
}

function usersOf({ users = [] }: Content, userId: string | undefined): readonly SignedUser[] {
  return userId === undefined ? users : users.filter((user) => user["userId"] === userId)
}

function tagsOf(content: Content, type: string): Item[] {
  const tags = entries(content, "tags").filter((tag) => tag["type"] === type)
  return tags.map(({ tagId, name }) => ({ tagId, tagName: name }))
}

function userOf({ userId, name, email, authenticators, oauthProviders, mfaPolicies }: SignedUser) {
  return {
    userId,
    userName: name,
    userEmail: email,
    authenticators: (authenticators ?? []).map((one) => ({
      authenticatorId: one["authenticatorId"],
      authenticatorName: one["name"],
    })),
    oauthProviders: (oauthProviders ?? []).map((one) => ({
      providerId: one["providerId"],
      providerName: one["name"],
    })),
    mfaPolicies: (mfaPolicies ?? []).map((one) => ({
      mfaPolicyId: one["mfaPolicyId"],
      mfaPolicyName: one["name"],
    })),
  }
}

function keyOf({ apiKeyId, name, publicKey }: Entry): Item {
  return { apiKeyId, apiKeyName: name, credential: { publicKey } }
}
