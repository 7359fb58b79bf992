import { ApiFault } from "../api/client.ts"
import { useQuery } from "../api/data.ts"
import { useOrganization } from "../api/directory.ts"
import type { User } from "../api/people.ts"
import { Ago, Badge, Empty, Facts, Id, Page, Pending } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { manyOf, textOf } from "../ui/fields.tsx"
import { ApiKeys } from "./people/api-keys.tsx"
import { Passkeys } from "./people/passkeys.tsx"

export function PersonPage({ id }: { id: string }) {
  const state = useQuery<{ user: User }>("get_user", { userId: id })
  const organization = useOrganization()
  const user = state.data?.user
  if (state.error instanceof ApiFault && state.error.status === 404)
    return (
      <Page title="User">
        <div class="card flush">
          <Empty sentence={`There is no user ${id}. The user may have been deleted.`}>
            <a class="button" href="/people">
              See all users
            </a>
          </Empty>
        </div>
      </Page>
    )
  if (user === undefined) return <Pending title="User" state={state} />
  const tags = (organization.data?.tags ?? [])
    .filter(({ tagType }) => tagType === "TAG_TYPE_USER")
    .map(({ tagId, tagName }) => ({ value: tagId, label: tagName }))
  return (
    <Page
      title={user.userName}
      about={
        organization.data?.rootQuorum.userIds.includes(id) ? (
          <Badge
            tone="data"
            icon="shield"
            why="The user belongs to the root quorum: together with enough of its members they may do everything, past all policies."
          >
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
            ["E-mail", user.userEmail],
            ["Phone", user.userPhoneNumber],
            [
              "Tags",
              tags
                .filter(({ value }) => user.userTags.includes(value))
                .map(({ label }) => label)
                .join(", "),
            ],
            ["Created", <Ago time={user.createdAt} />],
            ["Id", <Id id={user.userId} whole />],
          ]}
        />
      </div>
      <Passkeys user={user} state={state} />
      <ApiKeys user={user} state={state} />
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
        label: "Phone number",
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
