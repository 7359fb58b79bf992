import { createPasskey } from "../../api/keys.ts"
import type { UserAuthenticator, User } from "../../api/people.ts"
import { requireLogin } from "../../api/login.ts"
import { Ago, Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"
import { Table } from "../../ui/table.tsx"
import { removeCredential } from "./remove-credential.ts"

/** Passkeys of a user. Only the user adds one: their browser makes it. */
export function Passkeys({
  user,
  state,
}: {
  user: User
  state: { error: Error | undefined; reload: () => void }
}) {
  const isOwn = requireLogin().userId === user.userId
  return (
    <Section
      title="Passkeys"
      aside={
        isOwn && (
          <button type="button" class="button primary tight" onClick={() => addPasskey(user)}>
            Add a passkey
          </button>
        )
      }
    >
      <Table<UserAuthenticator>
        label="Passkeys"
        columns={[
          { title: "Name", cell: ({ authenticatorName }) => <b>{authenticatorName}</b> },
          { title: "Model", wide: true, cell: ({ model }) => model },
          { title: "Added", cell: ({ createdAt }) => <Ago time={createdAt} /> },
          actsColumn(
            ({ authenticatorName }) => authenticatorName,
            (one) => [
              {
                verb: "Remove",
                act: () =>
                  removeCredential(user, "AUTHENTICATORS", one.authenticatorId, one.authenticatorName),
                grave: true,
              },
            ],
          ),
        ]}
        rows={user.authenticators}
        state={state}
        keyOf={({ authenticatorId }) => authenticatorId}
        empty={
          <Empty
            sentence={
              isOwn
                ? "You have no passkey. It stamps every change by itself, and cannot be copied."
                : "This user has no passkey. They add it themselves, logged in."
            }
          />
        }
      />
    </Section>
  )
}

function addPasskey({ userId, userName }: User): void {
  openChange({
    title: "Add a passkey",
    verb: "Add the passkey",
    type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
    intro: (
      <p>
        The browser makes the passkey for {location.hostname} when you review. It logs in on pages of this
        host alone.
      </p>
    ),
    fields: [
      {
        name: "name",
        label: "Name",
        path: "authenticators",
        initial: passkeyName(),
        hint: "Name the device or the security key: you will look for it here when it is lost.",
      },
    ],
    parameters: async (values) => ({
      userId,
      authenticators: [
        await createPasskey(requireLogin().organizationId, userName, textOf(values, "name") || "Passkey"),
      ],
    }),
  })
}

/** The kind of this device, as far as the browser names it: "Chrome on macOS". */
function passkeyName(): string {
  const agent = navigator.userAgent
  const find = (names: readonly (readonly [pattern: RegExp, name: string])[]) =>
    names.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = find([
    [/Edg\//, "Edge"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
  ])
  const device = find([
    [/iPhone/, "iPhone"],
    [/iPad/, "iPad"],
    [/Android/, "Android"],
    [/Mac OS/, "macOS"],
    [/Windows/, "Windows"],
    [/Linux/, "Linux"],
  ])
  return [browser, device].filter((part) => part !== undefined).join(" on ") || "Passkey"
}
