import type { ApiKey, Authenticator, User } from "../api/directory.ts"
import { useOrganization } from "../api/directory.ts"
import { createPasskey } from "../api/keys.ts"
import { requireLogin } from "../api/login.ts"
import { duration } from "../words/time.ts"
import { Ago, Badge, Empty, Facts, Id, Page, Pending, Section } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { manyOf, textOf } from "../ui/fields.tsx"
import { Table } from "../ui/table.tsx"

export function PersonPage({ id }: { id: string }) {
  const state = useOrganization()
  const user = state.data?.users.find(({ userId }) => userId === id)
  if (state.data === undefined) return <Pending title="User" state={state} />
  if (user === undefined)
    return (
      <Page title="User">
        <div class="card flush">
          <Empty sentence={`There is no user ${id}.`} />
        </div>
      </Page>
    )
  const tags = state.data.tags
    .filter(({ tagType }) => tagType === "TAG_TYPE_USER")
    .map(({ tagId, tagName }) => ({ value: tagId, label: tagName }))
  const isOwn = requireLogin().userId === id
  return (
    <Page
      title={user.userName}
      about={
        state.data.rootQuorum.userIds.includes(id) ? (
          <Badge tone="data" icon="shield">
            Root quorum
          </Badge>
        ) : undefined
      }
      action={
        <span class="line">
          <button type="button" class="button grave" onClick={() => deleteUser(user)}>
            Delete
          </button>
          <button type="button" class="button" onClick={() => change(user, tags)}>
            Change
          </button>
        </span>
      }
    >
      <div class="card">
        <Facts
          facts={[
            ["User", <Id id={user.userId} whole />],
            ["E-mail", user.userEmail],
            ["Telephone", user.userPhoneNumber],
            [
              "Tags",
              tags
                .filter(({ value }) => user.userTags.includes(value))
                .map(({ label }) => label)
                .join(", "),
            ],
            ["Created", <Ago time={user.createdAt} />],
          ]}
        />
      </div>
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
        <Table<Authenticator>
          label="Passkeys"
          columns={[
            { title: "Name", cell: ({ authenticatorName }) => <b>{authenticatorName}</b> },
            { title: "Model", wide: true, cell: ({ model }) => model },
            { title: "Added", cell: ({ createdAt }) => <Ago time={createdAt} /> },
            {
              title: "Remove",
              cell: (one) => (
                <button
                  type="button"
                  class="button plain tight"
                  onClick={() => remove(user, "AUTHENTICATORS", one.authenticatorId, one.authenticatorName)}
                >
                  Remove
                </button>
              ),
            },
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
      <Section
        title="API keys and sessions"
        aside={
          <button type="button" class="button tight" onClick={() => addKey(user)}>
            Add an API key
          </button>
        }
      >
        <Table<ApiKey>
          label="API keys and sessions"
          columns={[
            { title: "Name", cell: ({ apiKeyName }) => <b>{apiKeyName}</b> },
            { title: "Public key", wide: true, cell: ({ credential }) => <Id id={credential.publicKey} /> },
            {
              title: "Lives",
              cell: ({ expirationSeconds }) =>
                expirationSeconds === undefined ? "until removed" : duration(Number(expirationSeconds)),
            },
            { title: "Added", wide: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
            {
              title: "Remove",
              cell: (one) => (
                <button
                  type="button"
                  class="button plain tight"
                  onClick={() => remove(user, "API_KEYS", one.apiKeyId, one.apiKeyName)}
                >
                  Remove
                </button>
              ),
            },
          ]}
          rows={user.apiKeys}
          state={state}
          keyOf={({ apiKeyId }) => apiKeyId}
          empty={<Empty sentence="This user has no API key." />}
        />
      </Section>
    </Page>
  )
}

function change(
  { userId, userName, userEmail = "", userPhoneNumber = "", userTags }: User,
  tags: readonly { value: string; label: string }[],
): void {
  openChange({
    title: "Change user",
    verb: "Change user",
    type: "ACTIVITY_TYPE_UPDATE_USER",
    fields: [
      { name: "userName", label: "Name", initial: userName },
      { name: "userEmail", label: "E-mail address", initial: userEmail },
      {
        name: "userPhoneNumber",
        label: "Telephone number",
        initial: userPhoneNumber,
        placeholder: "+41791234567",
      },
      { name: "userTagIds", label: "Tags", kind: "many", options: tags, initial: userTags },
    ],
    parameters: (values) => ({
      userId,
      userName: textOf(values, "userName"),
      ...(textOf(values, "userEmail") !== userEmail && { userEmail: textOf(values, "userEmail") }),
      ...(textOf(values, "userPhoneNumber") !== userPhoneNumber && {
        userPhoneNumber: textOf(values, "userPhoneNumber"),
      }),
      userTagIds: manyOf(values, "userTagIds"),
    }),
  })
}

function deleteUser({ userId, userName }: User): void {
  openChange({
    title: "Delete user",
    verb: "Delete user",
    type: "ACTIVITY_TYPE_DELETE_USERS",
    grave: {
      loses:
        "The user's credentials stop working at once. Policies that name the user can no longer be met by them.",
      name: userName,
    },
    parameters: () => ({ userIds: [userId] }),
  })
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
      authenticators: [await createPasskey(userName, textOf(values, "name") || "Passkey")],
    }),
  })
}

function addKey({ userId }: User): void {
  openChange({
    title: "Add an API key",
    verb: "Add the key",
    type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    intro: (
      <p>
        Make the key where it will be used: <code>countersign key generate NAME</code>. Only its public half
        comes here.
      </p>
    ),
    fields: [
      { name: "apiKeyName", label: "Name", path: "apiKeys[0].apiKeyName" },
      {
        name: "publicKey",
        label: "Public key",
        code: true,
        path: "apiKeys[0].publicKey",
        hint: "66 hexadecimal digits",
      },
      {
        name: "expirationSeconds",
        label: "Validity in seconds (optional)",
        kind: "number",
        path: "apiKeys[0].expirationSeconds",
      },
    ],
    parameters: (values) => {
      const expirationSeconds = textOf(values, "expirationSeconds")
      return {
        userId,
        apiKeys: [
          {
            apiKeyName: textOf(values, "apiKeyName"),
            publicKey: textOf(values, "publicKey"),
            curveType: "API_KEY_CURVE_P256",
            ...(expirationSeconds !== "" && { expirationSeconds }),
          },
        ],
      }
    },
  })
}

function remove({ userId }: User, kind: "AUTHENTICATORS" | "API_KEYS", id: string, name: string): void {
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
