import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Stamp } from "../../../core/stamp/stamp.ts"
import { macRecord, type MacKey } from "../../keys/record-mac.ts"

/** The identity of a login that names only the parent: an API key, a passkey, or a subject of an OIDC issuer. */
export type Identity =
  | { kind: "public-key"; publicKeyHex: string }
  | { kind: "passkey"; credentialId: Uint8Array }
  | { kind: "oidc"; issuer: string; audience: string; subject: string }

/** Identity of the credential that stamped. */
export function identityOfStamp(stamp: Stamp): Identity {
  return stamp.kind === "passkey"
    ? { kind: "passkey", credentialId: stamp.credentialId }
    : { kind: "public-key", publicKeyHex: stamp.publicKeyHex }
}

/** Identities of all users of a document. */
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

/** Keyed digest of an identity among the sub-organizations of a parent, 64 hexadecimal digits. */
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
