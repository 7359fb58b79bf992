// Powers of the auth proxy: its key.
import type { Makers } from "../../../execution/workspace/makers.ts"
import { newAuthProxyKey } from "../../../keys/auth-proxy-key.ts"

export const powers = {
  authProxyKey: ({ run, deps: { keyring, random } }) => ({
    make(configId) {
      const place = { organizationId: run.organization.id, configId }
      return newAuthProxyKey(keyring.pins.authProxyPublicKey, place, random)
    },
  }),
} satisfies Partial<Makers>
