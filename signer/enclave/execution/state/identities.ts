import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Stamp } from "../../../core/stamp/index.ts"
import { macRecord, type MacKey } from "../../keys/record-mac.ts"

/**
 * What a user shows of himself when he names only the parent of his organization: an API key, a passkey, or an
 * identity at an OpenID Connect issuer.
 */
export type Identity =
  | { kind: "public-key"; publicKeyHex: string }
  | { kind: "passkey"; credentialId: Uint8Array }
  | { kind: "oidc"; issuer: string; audience: string; subject: string }

/** What a stamp shows. */
export function identityOfStamp(stamp: Stamp): Identity {
  return stamp.kind === "passkey"
    ? { kind: "passkey", credentialId: stamp.credentialId }
    : { kind: "public-key", publicKeyHex: stamp.publicKeyHex }
}

/** All identities that a document's users hold. */
export function identitiesOf({ users }: OrganizationDocument): Identity[] {
  return users.flatMap(({ apiKeys, authenticators, oauthProviders }) => [
    ...apiKeys.map(({ publicKey }) => ({ kind: "public-key" as const, publicKeyHex: publicKey })),
    ...authenticators.map(({ credentialId }) => ({ kind: "passkey" as const, credentialId })),
    ...oauthProviders.map(({ issuer, audience, subject }) => ({
      kind: "oidc" as const,
      issuer,
      audience,
      subject,
    })),
  ])
}

/** Name of an identity among the children of a parent, 64 hexadecimal digits; it tells nothing without the key. */
export function identityDigest(key: MacKey, parentId: string, identity: Identity): string {
  const parts = [parentId, identity.kind, ...partsOf(identity)].map((part) => Buffer.from(part))
  return Buffer.from(macRecord(key, "countersign/v1/identity", ...parts)).toString("hex")
}

function partsOf(identity: Identity): (string | Uint8Array)[] {
  switch (identity.kind) {
    case "public-key":
      return [identity.publicKeyHex]
    case "passkey":
      return [identity.credentialId]
    case "oidc":
      return [identity.issuer, identity.audience, identity.subject]
    default:
      return identity satisfies never
  }
}
