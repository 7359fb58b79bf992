import type { User } from "../../api/people.ts"
import { openChange } from "../../ui/change.tsx"

export function removeCredential(
  { userId }: User,
  kind: "AUTHENTICATORS" | "API_KEYS",
  id: string,
  name: string,
): void {
  openChange({
    title: "Remove a credential",
    verb: "Remove",
    type: `ACTIVITY_TYPE_DELETE_${kind}`,
    grave: { loses: `${name} stops working at once.`, name },
    parameters: () => ({
      userId,
      ...(kind === "API_KEYS" ? { apiKeyIds: [id] } : { authenticatorIds: [id] }),
    }),
  })
}
