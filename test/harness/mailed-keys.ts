import type { Fixture } from "../hostile/setup.ts"
import type { Tenant } from "./api-client.ts"
import { Target } from "./credential-target.ts"
import { MAIL } from "./otp.ts"
import type { TestKey } from "./stamper.ts"

/** The credential bundle in a mail: Base58 of 85 bytes and a checksum. */
export function bundleIn({ text }: { text: string }): string {
  return /[1-9A-HJ-NP-Za-km-z]{100,}/.exec(text)![0]
}

/** Parameters that mail a key to a client. */
export function mailTo({ targetPublicKey }: Pick<Target, "targetPublicKey">, changes: object = {}) {
  return { email: MAIL, targetPublicKey, ...changes }
}

/** Switches on everything that mails keys, for the root user of an organization, who gets this address. */
export async function mailedKeys(
  { client, fakeFetcher }: Fixture,
  { organizationId, root, rootUserId }: Tenant,
  email = MAIL,
) {
  const submit = (type: string, parameters: object) =>
    client.submit(root, `ACTIVITY_TYPE_${type}`, organizationId, parameters)
  for (const name of ["EMAIL_AUTH", "EMAIL_RECOVERY", "ROOT_USER_EMAIL_RECOVERY"])
    await submit("SET_ORGANIZATION_FEATURE", { name: `FEATURE_NAME_${name}`, value: "" })
  await submit("UPDATE_USER_EMAIL", { userId: rootUserId, userEmail: email })
  return {
    /** Has a recovery key mailed, and opens it. */
    async recoveryKey(): Promise<TestKey> {
      const target = new Target()
      await submit("INIT_USER_EMAIL_RECOVERY", mailTo(target, { email }))
      return target.open(bundleIn(fakeFetcher.messages.at(-1)!))
    },
  }
}
