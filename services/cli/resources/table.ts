import { people } from "./people.ts"
import type { Resource } from "./resource.ts"
import { rules } from "./rules.ts"
import { wallets } from "./wallets.ts"

/** Every resource with commands to create, list, show, change and delete. */
export const RESOURCES: readonly Resource[] = [...people, ...wallets, ...rules]
