import { access } from "./access.ts"
import { emailTemplates } from "./email-templates.ts"
import { limits } from "./limits.ts"
import { people } from "./people.ts"
import { providerCredentials } from "./provider-credentials.ts"
import type { Resource } from "./resource.ts"
import { rules } from "./rules.ts"
import { wallets } from "./wallets.ts"

/** Every resource with commands to create, list, show, change and delete. */
export const RESOURCES: readonly Resource[] = [
  ...people,
  ...access,
  ...wallets,
  ...rules,
  ...limits,
  ...providerCredentials,
  ...emailTemplates,
]
