import type { MessageInitShape } from "@bufbuild/protobuf"
import type { FiatOnRampCredentialSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { OnRampCredential } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { timestamps } from "./time.ts"

/** The keys stay sealed, as they were submitted. `organizationId`: the organization that has the credential. */
export function fiatOnRampCredentialResource(
  credential: OnRampCredential,
  organizationId: string,
): MessageInitShape<typeof FiatOnRampCredentialSchema> {
  const { credentialId, provider, sandbox, projectId, publishableApiKey } = credential
  const { encryptedSecretApiKey, encryptedPrivateApiKey } = credential
  return {
    fiatOnrampCredentialId: credentialId,
    organizationId,
    onrampProvider: provider,
    ...(projectId !== "" && { projectId }),
    publishableApiKey,
    encryptedSecretApiKey,
    ...(encryptedPrivateApiKey !== "" && { encryptedPrivateApiKey }),
    sandboxMode: sandbox,
    ...timestamps(credential),
  }
}
