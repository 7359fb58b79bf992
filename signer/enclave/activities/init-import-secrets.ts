import type { Activity } from "./activity.ts"

/** Returns keys of the user, to each of which one secret may be sealed. Earlier keys stay valid, up to a number. */
export const initImportSecrets: Activity<"initImportSecrets"> = {
  run({ numSecrets }, { bundles, organization, secretImportKeys, userId }) {
    const origin = { organizationId: organization.id, userId }
    const points = secretImportKeys.make(userId, numSecrets)
    return {
      enclaveTargetMessages: points.map((targetPublic) => bundles.importTarget({ ...origin, targetPublic })),
    }
  },
}
