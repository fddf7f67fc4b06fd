/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Identities {\n    identities {\n      id\n      provider\n      issuer\n      email\n      usedAt\n    }\n  }\n": typeof types.IdentitiesDocument,
    "\n  mutation UnlinkIdentity($id: ID!) {\n    unlinkIdentity(id: $id) {\n      id\n    }\n  }\n": typeof types.UnlinkIdentityDocument,
    "\n  query Password {\n    password {\n      changedAt\n      currentNeeded\n      removable\n    }\n  }\n": typeof types.PasswordDocument,
    "\n  mutation SetPassword($input: SetPasswordInput!) {\n    setPassword(input: $input) {\n      password {\n        changedAt\n      }\n    }\n  }\n": typeof types.SetPasswordDocument,
    "\n  mutation RemovePassword($current: String!) {\n    removePassword(current: $current) {\n      password {\n        changedAt\n      }\n    }\n  }\n": typeof types.RemovePasswordDocument,
    "\n  fragment SessionLine on Session {\n    id\n    createdAt\n    usedAt\n    address\n    agent\n    current\n  }\n": typeof types.SessionLineFragmentDoc,
    "\n  mutation EndSession($id: ID!) {\n    endSession(id: $id) {\n      id\n    }\n  }\n": typeof types.EndSessionDocument,
    "\n  mutation CreateAccessToken($input: CreateAccessTokenInput!) {\n    createAccessToken(input: $input) {\n      token\n    }\n  }\n": typeof types.CreateAccessTokenDocument,
    "\n  fragment AccessTokenLine on AccessToken {\n    id\n    name\n    scope\n    subjectId\n    createdAt\n    expiresAt\n    usedAt\n    address\n  }\n": typeof types.AccessTokenLineFragmentDoc,
    "\n  mutation RevokeAccessToken($id: ID!) {\n    revokeAccessToken(id: $id) {\n      id\n    }\n  }\n": typeof types.RevokeAccessTokenDocument,
    "\n  fragment AuditLine on AuditEntry {\n    id\n    at\n    action\n    objectId\n    before\n    after\n    address\n    actor {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n    }\n  }\n": typeof types.AuditLineFragmentDoc,
    "\n  query AuditLog($first: Int, $after: String, $filter: AuditFilter) {\n    auditLog(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...AuditLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.AuditLogDocument,
    "\n  fragment CarryNote on CarryNote {\n    code\n    what\n    text\n  }\n": typeof types.CarryNoteFragmentDoc,
    "\n  fragment EventItem on Event {\n    id\n    at\n    count\n    severity\n    source\n    type\n    message\n    actor {\n      id\n      displayName\n    }\n  }\n": typeof types.EventItemFragmentDoc,
    "\n  subscription EventAdded($subjectId: ID!) {\n    eventAdded(subjectId: $subjectId) {\n      ...EventItem\n    }\n  }\n": typeof types.EventAddedDocument,
    "\n  query PreviewBackfill($input: BackfillInput!) {\n    previewBackfill(input: $input) {\n      count\n      existing\n      times {\n        ...FireTime\n      }\n    }\n  }\n": typeof types.PreviewBackfillDocument,
    "\n  mutation StartBackfill($input: BackfillInput!) {\n    startBackfill(input: $input) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n": typeof types.StartBackfillDocument,
    "\n  fragment BackfillItem on Backfill {\n    id\n    number\n    total\n    started\n    parallel\n    state\n    createdAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n  }\n": typeof types.BackfillItemFragmentDoc,
    "\n  query Backfills($flowId: ID!) {\n    backfills(flowId: $flowId) {\n      ...BackfillItem\n    }\n  }\n": typeof types.BackfillsDocument,
    "\n  mutation CancelBackfill($id: ID!, $stopRuns: Boolean!) {\n    cancelBackfill(id: $id, stopRuns: $stopRuns) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n": typeof types.CancelBackfillDocument,
    "\n  query FlowFires($id: ID!, $first: Int!) {\n    flowFires(id: $id, first: $first) {\n      ...FireTime\n    }\n  }\n": typeof types.FlowFiresDocument,
    "\n  fragment FlowChangeItem on FlowChange {\n    task\n    path\n    kind\n    before\n    after\n  }\n": typeof types.FlowChangeItemFragmentDoc,
    "\n  query FlowChoices($teamId: ID!) {\n    flows(first: 100, filter: { teamId: $teamId }) {\n      nodes {\n        id\n        name\n      }\n    }\n  }\n": typeof types.FlowChoicesDocument,
    "\n  query FlowEditForm($id: ID!) {\n    flow(id: $id) {\n      id\n      name\n      latest\n      team {\n        id\n      }\n      version {\n        id\n        number\n        spec\n      }\n    }\n  }\n": typeof types.FlowEditFormDocument,
    "\n  mutation SaveFlow($input: SaveFlowInput!) {\n    saveFlow(input: $input) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n": typeof types.SaveFlowDocument,
    "\n  query FlowLatest($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n    }\n  }\n": typeof types.FlowLatestDocument,
    "\n  mutation CreateFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": typeof types.CreateFlowDocument,
    "\n  query FlowDraft($instanceId: ID, $runId: ID) {\n    flowDraft(instanceId: $instanceId, runId: $runId) {\n      teamId\n      name\n      spec\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n": typeof types.FlowDraftDocument,
    "\n  query SlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n    }\n  }\n": typeof types.SlotGroupsDocument,
    "\n  query CheckFlow($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      spec\n      yaml\n      fires {\n        ...FireTime\n      }\n    }\n  }\n": typeof types.CheckFlowDocument,
    "\n  fragment FireTime on FlowFire {\n    at\n    local\n    note\n  }\n": typeof types.FireTimeFragmentDoc,
    "\n  query Flows($first: Int, $after: String, $filter: FlowFilter) {\n    flows(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.FlowsDocument,
    "\n  subscription FlowsChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n    }\n  }\n": typeof types.FlowsChangedDocument,
    "\n  subscription FlowsRunsChanged($teamId: ID) {\n    flowRunsChanged(teamId: $teamId) {\n      ...FlowSpark\n      flow {\n        id\n        nextFireAt\n        lastRuns(last: 10) {\n          ...FlowSpark\n        }\n      }\n    }\n  }\n": typeof types.FlowsRunsChangedDocument,
    "\n  query ExportFlow($id: ID!) {\n    flow(id: $id) {\n      id\n      version {\n        id\n        yaml\n      }\n    }\n  }\n": typeof types.ExportFlowDocument,
    "\n  mutation RenameFlow($id: ID!, $name: String!) {\n    renameFlow(id: $id, name: $name) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": typeof types.RenameFlowDocument,
    "\n  mutation TransferFlow($id: ID!, $userId: ID!) {\n    transferFlow(id: $id, userId: $userId) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": typeof types.TransferFlowDocument,
    "\n  mutation DeleteFlow($id: ID!, $name: String!) {\n    deleteFlow(id: $id, name: $name) {\n      id\n    }\n  }\n": typeof types.DeleteFlowDocument,
    "\n  query FlowMembers($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": typeof types.FlowMembersDocument,
    "\n  fragment FlowRow on Flow {\n    id\n    name\n    description\n    tags\n    paused\n    pausedWhy {\n      ...ReasonText\n    }\n    nextFireAt\n    overdue {\n      ...ReasonText\n    }\n    owner {\n      id\n      displayName\n    }\n    schedule {\n      kind\n      text\n      timezone\n    }\n    lastRuns(last: 10) {\n      ...FlowSpark\n    }\n    can {\n      edit\n      run\n      pause\n      delete\n    }\n  }\n": typeof types.FlowRowFragmentDoc,
    "\n  query Flow($id: ID!) {\n    flow(id: $id) {\n      ...FlowRow\n      ...FlowHead\n      grid: lastRuns(last: 30) {\n        ...FlowGridRun\n      }\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n": typeof types.FlowDocument,
    "\n  subscription FlowChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n      ...FlowHead\n    }\n  }\n": typeof types.FlowChangedDocument,
    "\n  subscription FlowGridChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowGridRun\n      flow {\n        id\n        nextFireAt\n      }\n    }\n  }\n": typeof types.FlowGridChangedDocument,
    "\n  fragment FlowHead on Flow {\n    id\n    latest\n    createdAt\n    updatedAt\n    team {\n      id\n      name\n    }\n    version {\n      id\n      number\n      spec\n      comment\n      createdAt\n      author {\n        id\n        displayName\n      }\n    }\n  }\n": typeof types.FlowHeadFragmentDoc,
    "\n  fragment FlowGridRun on FlowRun {\n    id\n    version\n    localTime\n    state\n    steps {\n      id\n      name\n      state\n    }\n  }\n": typeof types.FlowGridRunFragmentDoc,
    "\n  query CheckImport($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      fires {\n        ...FireTime\n      }\n    }\n  }\n": typeof types.CheckImportDocument,
    "\n  mutation ImportFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": typeof types.ImportFlowDocument,
    "\n  mutation PauseFlow($id: ID!) {\n    pauseFlow(id: $id) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": typeof types.PauseFlowDocument,
    "\n  mutation UnpauseFlow($id: ID!, $catchUp: Int!) {\n    unpauseFlow(id: $id, catchUp: $catchUp) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": typeof types.UnpauseFlowDocument,
    "\n  query PreviewUnpause($id: ID!) {\n    previewUnpause(id: $id) {\n      missed\n      times {\n        ...FireTime\n      }\n      next {\n        ...FireTime\n      }\n    }\n  }\n": typeof types.PreviewUnpauseDocument,
    "\n  fragment FlowProblemItem on FlowProblem {\n    path\n    line\n    column\n    text\n  }\n": typeof types.FlowProblemItemFragmentDoc,
    "\n  mutation RunFlow($input: RunFlowInput!) {\n    runFlow(input: $input) {\n      flowRun {\n        ...FlowRunRow\n      }\n    }\n  }\n": typeof types.RunFlowDocument,
    "\n  fragment FlowSpark on FlowRun {\n    id\n    state\n    localTime\n  }\n": typeof types.FlowSparkFragmentDoc,
    "\n  query FlowVersions($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n      versions(first: 200) {\n        id\n        number\n        comment\n        createdAt\n        restores\n        code {\n          id\n          subPath\n          state\n          files\n          bytes\n          sha256\n          frozenAt\n          reason {\n            text\n            advice\n          }\n        }\n        author {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": typeof types.FlowVersionsDocument,
    "\n  query FlowVersionChanges($id: ID!, $number: Int!, $from: Int) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n": typeof types.FlowVersionChangesDocument,
    "\n  mutation RestoreFlowVersion($id: ID!, $number: Int!, $comment: String!) {\n    restoreFlowVersion(id: $id, number: $number, comment: $comment) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n": typeof types.RestoreFlowVersionDocument,
    "\n  mutation StopFlowRun($id: ID!) {\n    stopFlowRun(id: $id) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n": typeof types.StopFlowRunDocument,
    "\n  mutation RerunFlowRun($input: RerunFlowRunInput!) {\n    rerunFlowRun(input: $input) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n": typeof types.RerunFlowRunDocument,
    "\n  mutation MarkStep($flowRunId: ID!, $step: String!, $as: StepMark!) {\n    markStep(flowRunId: $flowRunId, step: $step, as: $as) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n": typeof types.MarkStepDocument,
    "\n  fragment ComparedRun on FlowRun {\n    id\n    number\n    state\n    cause\n    localTime\n    lateness\n    startedAt\n    endedAt\n    parameters\n    reason {\n      ...ReasonText\n    }\n    flow {\n      id\n      name\n    }\n    steps {\n      id\n      name\n      state\n      startedAt\n      endedAt\n    }\n  }\n": typeof types.ComparedRunFragmentDoc,
    "\n  query CompareFlowRuns($left: ID!, $right: ID!) {\n    left: flowRun(id: $left) {\n      ...ComparedRun\n    }\n    right: flowRun(id: $right) {\n      ...ComparedRun\n    }\n  }\n": typeof types.CompareFlowRunsDocument,
    "\n  query ComparedVersions($id: ID!, $number: Int!, $from: Int!) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n": typeof types.ComparedVersionsDocument,
    "\n  mutation DeleteFlowRun($id: ID!) {\n    deleteFlowRun(id: $id) {\n      id\n    }\n  }\n": typeof types.DeleteFlowRunDocument,
    "\n  query FlowRuns($first: Int, $after: String, $filter: FlowRunFilter) {\n    flowRuns(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.FlowRunsDocument,
    "\n  subscription FlowRunsChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowRunRow\n    }\n  }\n": typeof types.FlowRunsChangedDocument,
    "\n  fragment FlowRunRow on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    steps {\n      id\n      name\n      state\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n": typeof types.FlowRunRowFragmentDoc,
    "\n  query FlowRun($id: ID!) {\n    flowRun(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n      spec\n      parameters\n      owner {\n        id\n        displayName\n      }\n      flow {\n        id\n        name\n        lastRuns(last: 30) {\n          id\n          localTime\n        }\n      }\n    }\n  }\n": typeof types.FlowRunDocument,
    "\n  subscription FlowRunChanged($id: ID!) {\n    flowRunChanged(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n    }\n  }\n": typeof types.FlowRunChangedDocument,
    "\n  fragment FlowRunHead on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    timezone\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    backfillId\n    reason {\n      ...ReasonText\n    }\n    actor {\n      id\n      displayName\n    }\n    stoppedBy {\n      id\n      displayName\n    }\n    steps {\n      id\n      name\n      state\n      round\n      startedAt\n      endedAt\n      readyAt\n      nextPollAt\n      polls\n      reason {\n        ...ReasonText\n      }\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n": typeof types.FlowRunHeadFragmentDoc,
    "\n  query FlowRunHistory($id: ID!) {\n    flowRun(id: $id) {\n      id\n      transitions {\n        id\n        step\n        round\n        was\n        becomes\n        text\n        at\n        actor {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": typeof types.FlowRunHistoryDocument,
    "\n  fragment StepDetail on Step {\n    id\n    outputs\n    with\n    runs {\n      id\n      name\n      state\n      can {\n        rerun\n      }\n      attempts {\n        id\n        number\n        state\n        exitCode\n        log {\n          lines\n          complete\n          truncated\n          removedAt\n          keptDays\n        }\n      }\n    }\n  }\n": typeof types.StepDetailFragmentDoc,
    "\n  query FlowRunStep($id: ID!) {\n    node(id: $id) {\n      kind: __typename\n      ... on Step {\n        ...StepDetail\n      }\n    }\n  }\n": typeof types.FlowRunStepDocument,
    "\n  mutation SignOut {\n    signOut {\n      ok\n      providerUrl\n    }\n  }\n": typeof types.SignOutDocument,
    "\n  query Palette($teamId: ID!, $search: String!) {\n    instances(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n    runs(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n  }\n": typeof types.PaletteDocument,
    "\n  fragment ImageCard on Image {\n    id\n    name\n    reference\n    description\n    framework\n    version\n    gpu\n    development\n    apps\n    recommended\n    deprecated\n    sizeBytes\n    reason {\n      ...ReasonText\n    }\n    team {\n      id\n      name\n    }\n  }\n": typeof types.ImageCardFragmentDoc,
    "\n  fragment ImageChoice on Image {\n    id\n    name\n    reference\n    framework\n    version\n    gpu\n    development\n    recommended\n    deprecated\n    reason {\n      ...ReasonText\n    }\n  }\n": typeof types.ImageChoiceFragmentDoc,
    "\n  query ImageChoices($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageChoice\n      }\n    }\n  }\n": typeof types.ImageChoicesDocument,
    "\n  mutation StartInstance($id: ID!, $wait: Boolean! = false) {\n    startInstance(id: $id, wait: $wait) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": typeof types.StartInstanceDocument,
    "\n  mutation StopInstance($id: ID!) {\n    stopInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": typeof types.StopInstanceDocument,
    "\n  mutation RestartInstance($id: ID!) {\n    restartInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": typeof types.RestartInstanceDocument,
    "\n  mutation OpenInstanceApp($id: ID!, $app: String!) {\n    openInstanceApp(id: $id, app: $app) {\n      url\n    }\n  }\n": typeof types.OpenInstanceAppDocument,
    "\n  query InstanceAppLog($id: ID!, $app: String!) {\n    instanceAppLog(id: $id, app: $app) {\n      lines {\n        at\n        text\n      }\n    }\n  }\n": typeof types.InstanceAppLogDocument,
    "\n  fragment InstanceCommand on Instance {\n    id\n    env {\n      name\n      value\n    }\n  }\n": typeof types.InstanceCommandFragmentDoc,
    "\n  fragment InstanceConnect on Instance {\n    id\n    state\n    starts\n    apps {\n      name\n      port\n      state\n      reason {\n        ...ReasonText\n      }\n    }\n    ssh {\n      command\n      config\n      hostKeyFingerprint\n    }\n    can {\n      connect\n    }\n  }\n": typeof types.InstanceConnectFragmentDoc,
    "\n  mutation DeleteInstance($id: ID!) {\n    deleteInstance(id: $id) {\n      id\n    }\n  }\n": typeof types.DeleteInstanceDocument,
    "\n  fragment InstanceEdit on Instance {\n    id\n    name\n    version\n    team {\n      id\n    }\n    image {\n      id\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      secretId\n      as\n      at\n    }\n  }\n": typeof types.InstanceEditFragmentDoc,
    "\n  query InstanceEditForm($id: ID!) {\n    instance(id: $id) {\n      ...InstanceEdit\n    }\n  }\n": typeof types.InstanceEditFormDocument,
    "\n  mutation UpdateInstance($input: UpdateInstanceInput!) {\n    updateInstance(input: $input) {\n      instance {\n        ...InstanceEdit\n        ...InstanceHead\n        ...InstanceStory\n        ...InstanceFacts\n      }\n    }\n  }\n": typeof types.UpdateInstanceDocument,
    "\n  fragment InstanceFacts on Instance {\n    id\n    node\n    objectName\n    starts\n    createdAt\n    startedAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    image {\n      id\n      name\n      reference\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      ...SecretUseItem\n    }\n  }\n": typeof types.InstanceFactsFragmentDoc,
    "\n  query Instances($first: Int, $after: String, $filter: InstanceFilter) {\n    instances(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...InstanceRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.InstancesDocument,
    "\n  subscription InstancesChanged($teamId: ID) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n": typeof types.InstancesChangedDocument,
    "\n  mutation MoveInstance($id: ID!, $acceptRisk: Boolean!) {\n    moveInstance(id: $id, acceptRisk: $acceptRisk) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": typeof types.MoveInstanceDocument,
    "\n  query InstancePreset($runId: ID!) {\n    instancePreset(runId: $runId) {\n      teamId\n      name\n      imageId\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        volumeId\n        path\n        readOnly\n        subPath\n      }\n      env {\n        name\n        value\n      }\n      secrets {\n        secretId\n        as\n        at\n      }\n      command\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n": typeof types.InstancePresetDocument,
    "\n  fragment InstanceRow on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    readyAt\n    owner {\n      id\n      displayName\n    }\n    image {\n      id\n      name\n    }\n    resources {\n      ...ResourcesText\n    }\n    reason {\n      ...ReasonText\n    }\n    apps {\n      name\n      state\n    }\n    can {\n      start\n      stop\n      connect\n    }\n  }\n": typeof types.InstanceRowFragmentDoc,
    "\n  mutation RevealInstanceSecret($id: ID!) {\n    revealInstanceSecret(id: $id) {\n      password\n      rootPassword\n    }\n  }\n": typeof types.RevealInstanceSecretDocument,
    "\n  fragment InstanceStory on Instance {\n    id\n    state\n    restartToApply\n    reason {\n      ...ReasonText\n    }\n    timeline {\n      ...PhaseItem\n    }\n    can {\n      start\n      restart\n    }\n  }\n": typeof types.InstanceStoryFragmentDoc,
    "\n  fragment InstanceHead on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    readyAt\n    updatedAt\n    apps {\n      name\n      state\n    }\n    mounts {\n      ...MountItem\n    }\n    can {\n      start\n      stop\n      restart\n      move\n      edit\n      delete\n      connect\n    }\n  }\n": typeof types.InstanceHeadFragmentDoc,
    "\n  query Instance($id: ID!) {\n    instance(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n": typeof types.InstanceDocument,
    "\n  subscription InstanceChanged($id: ID!) {\n    instanceChanged(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n    }\n  }\n": typeof types.InstanceChangedDocument,
    "\n  fragment LogWindow on LogWindow {\n    lines {\n      number\n      time\n      source\n      text\n      partial\n      code\n    }\n    cursor\n    complete\n  }\n": typeof types.LogWindowFragmentDoc,
    "\n  query Log($attemptId: ID!, $after: String, $fromLine: Int64, $last: Int, $limit: Int) {\n    log(attemptId: $attemptId, after: $after, fromLine: $fromLine, last: $last, limit: $limit) {\n      ...LogWindow\n    }\n  }\n": typeof types.LogDocument,
    "\n  query SearchLog($attemptId: ID!, $text: String!, $regexp: Boolean!, $fromLine: Int64!, $limit: Int!) {\n    searchLog(attemptId: $attemptId, text: $text, regexp: $regexp, fromLine: $fromLine, limit: $limit) {\n      lines {\n        number\n      }\n      next\n      end\n    }\n  }\n": typeof types.SearchLogDocument,
    "\n  subscription LogAppended($attemptId: ID!, $after: String) {\n    logAppended(attemptId: $attemptId, after: $after) {\n      ...LogWindow\n    }\n  }\n": typeof types.LogAppendedDocument,
    "\n  fragment MountItem on Mount {\n    volumeId\n    path\n    readOnly\n    subPath\n    volume {\n      id\n      name\n      kind\n    }\n    share {\n      id\n      volumeName\n      ownerName\n    }\n  }\n": typeof types.MountItemFragmentDoc,
    "\n  fragment Estate on Estate {\n    teamId\n    teamName\n    role\n    tasks\n    flows\n    instances {\n      id\n      name\n      running\n    }\n    runs {\n      id\n      name\n    }\n    volumes {\n      id\n      name\n      kind\n      sizeBytes\n      inTrash\n    }\n    invitations {\n      id\n      email\n    }\n    heirs {\n      id\n      displayName\n    }\n    heir {\n      id\n      displayName\n    }\n  }\n": typeof types.EstateFragmentDoc,
    "\n  fragment PersonLine on Person {\n    state\n    lastSeenAt\n    waysIn\n    sessions\n    accessTokens\n    user {\n      id\n      email\n      displayName\n      platformRole\n    }\n    memberships {\n      role\n      team {\n        id\n        name\n      }\n    }\n  }\n": typeof types.PersonLineFragmentDoc,
    "\n  query People($first: Int, $after: String, $filter: PersonFilter) {\n    people(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...PersonLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.PeopleDocument,
    "\n  mutation CreateUser($input: CreateUserInput!) {\n    createUser(input: $input) {\n      signInUrl\n      user {\n        id\n      }\n    }\n  }\n": typeof types.CreateUserDocument,
    "\n  mutation SetPlatformRole($input: SetPlatformRoleInput!) {\n    setPlatformRole(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": typeof types.SetPlatformRoleDocument,
    "\n  mutation DisableUser($id: ID!) {\n    disableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": typeof types.DisableUserDocument,
    "\n  mutation EnableUser($id: ID!) {\n    enableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": typeof types.EnableUserDocument,
    "\n  mutation SignOutUser($input: SignOutUserInput!) {\n    signOutUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": typeof types.SignOutUserDocument,
    "\n  mutation CreateSignInLink($userId: ID!) {\n    createSignInLink(userId: $userId) {\n      url\n      expiresAt\n    }\n  }\n": typeof types.CreateSignInLinkDocument,
    "\n  fragment PlatformVolumeRow on PlatformVolume {\n    id\n    name\n    description\n    path\n    readOnly\n    enabled\n    phase\n    reason {\n      ...ReasonText\n    }\n    source {\n      namespace\n      claim\n      made\n      sizeBytes\n      storageClass\n    }\n    readyTeams\n    teams\n    createdAt\n  }\n": typeof types.PlatformVolumeRowFragmentDoc,
    "\n  mutation CreatePlatformVolume($input: CreatePlatformVolumeInput!) {\n    createPlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n": typeof types.CreatePlatformVolumeDocument,
    "\n  mutation UpdatePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n": typeof types.UpdatePlatformVolumeDocument,
    "\n  mutation DeletePlatformVolume($id: ID!, $confirmName: String!) {\n    deletePlatformVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n": typeof types.DeletePlatformVolumeDocument,
    "\n  query PlatformVolumes {\n    platformVolumes {\n      ...PlatformVolumeRow\n    }\n  }\n": typeof types.PlatformVolumesDocument,
    "\n  mutation EnablePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n": typeof types.EnablePlatformVolumeDocument,
    "\n  fragment PhaseItem on Phase {\n    name\n    since\n    seconds\n  }\n": typeof types.PhaseItemFragmentDoc,
    "\n  fragment ReasonText on Reason {\n    code\n    text\n    advice\n    args\n  }\n": typeof types.ReasonTextFragmentDoc,
    "\n  query Fit($teamId: ID!, $resources: ResourcesInput!, $class: TaskClass!) {\n    fit(teamId: $teamId, resources: $resources, class: $class) {\n      nodes\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n": typeof types.FitDocument,
    "\n  query Profiles {\n    profiles {\n      name\n      cpu\n      memory\n      gpu\n    }\n  }\n": typeof types.ProfilesDocument,
    "\n  fragment ResourcesText on Resources {\n    cpuMilli\n    memoryBytes\n    gpu\n  }\n": typeof types.ResourcesTextFragmentDoc,
    "\n  mutation StopRun($id: ID!) {\n    stopRun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n": typeof types.StopRunDocument,
    "\n  mutation Rerun($id: ID!) {\n    rerun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n": typeof types.RerunDocument,
    "\n  mutation DeleteRun($id: ID!) {\n    deleteRun(id: $id) {\n      id\n    }\n  }\n": typeof types.DeleteRunDocument,
    "\n  fragment RunFacts on Run {\n    id\n    createdAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    task {\n      id\n      command\n      args\n      workingDir\n      class\n      retries\n      timeoutSeconds\n      env {\n        name\n        value\n      }\n      secrets {\n        ...SecretUseItem\n      }\n      image {\n        id\n        name\n        reference\n      }\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        ...MountItem\n      }\n      code {\n        volumeId\n        subPath\n        writable\n        volume {\n          id\n          name\n        }\n      }\n      frozen {\n        snapshotId\n        files\n        bytes\n        sha256\n        frozenAt\n      }\n    }\n  }\n": typeof types.RunFactsFragmentDoc,
    "\n  query Runs($first: Int, $after: String, $filter: RunFilter) {\n    runs(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...RunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.RunsDocument,
    "\n  subscription RunsChanged($teamId: ID) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n": typeof types.RunsChangedDocument,
    "\n  fragment RunRow on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    task {\n      id\n      command\n      args\n      resources {\n        ...ResourcesText\n      }\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n": typeof types.RunRowFragmentDoc,
    "\n  fragment RunHead on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    reason {\n      ...ReasonText\n    }\n    step\n    stoppedBy {\n      id\n      displayName\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n      imageDigest\n      node\n      job\n      createdAt\n      startedAt\n      endedAt\n      reason {\n        ...ReasonText\n      }\n      timeline {\n        ...PhaseItem\n      }\n      log {\n        lines\n        complete\n        truncated\n        removedAt\n        keptDays\n      }\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n": typeof types.RunHeadFragmentDoc,
    "\n  query Run($id: ID!) {\n    run(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n": typeof types.RunDocument,
    "\n  subscription RunChanged($id: ID!) {\n    runChanged(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n    }\n  }\n": typeof types.RunChangedDocument,
    "\n  query SecretChoices {\n    secrets {\n      id\n      name\n      kind\n      team {\n        id\n      }\n      keys {\n        name\n      }\n    }\n  }\n": typeof types.SecretChoicesDocument,
    "\n  mutation DeleteSecret($id: ID!, $inUse: Boolean!) {\n    deleteSecret(id: $id, inUse: $inUse) {\n      id\n    }\n  }\n": typeof types.DeleteSecretDocument,
    "\n  mutation CreateSecret($input: CreateSecretInput!) {\n    createSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n": typeof types.CreateSecretDocument,
    "\n  mutation ReplaceSecret($input: ReplaceSecretInput!) {\n    replaceSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n": typeof types.ReplaceSecretDocument,
    "\n  fragment SecretRow on Secret {\n    id\n    name\n    kind\n    team {\n      id\n      name\n    }\n    keys {\n      name\n      principals\n    }\n    fingerprint\n    teamWide\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n    usedBy {\n      id\n      name\n    }\n    can {\n      manage\n    }\n  }\n": typeof types.SecretRowFragmentDoc,
    "\n  query Secrets {\n    secrets {\n      ...SecretRow\n    }\n  }\n": typeof types.SecretsDocument,
    "\n  fragment SecretUseItem on SecretUse {\n    secretId\n    as\n    at\n    secret {\n      id\n      name\n      kind\n    }\n  }\n": typeof types.SecretUseItemFragmentDoc,
    "\n  query DeviceRequest($userCode: String!) {\n    deviceRequest(userCode: $userCode) {\n      id\n      name\n      address\n      scope\n      createdAt\n    }\n  }\n": typeof types.DeviceRequestDocument,
    "\n  mutation ApproveDevice($input: ApproveDeviceInput!) {\n    approveDevice(input: $input) {\n      ok\n    }\n  }\n": typeof types.ApproveDeviceDocument,
    "\n  mutation DenyDevice($userCode: String!) {\n    denyDevice(userCode: $userCode) {\n      ok\n    }\n  }\n": typeof types.DenyDeviceDocument,
    "\n  query Session {\n    viewer {\n      user {\n        id\n        displayName\n        email\n        platformRole\n      }\n      memberships {\n        role\n        team {\n          id\n        }\n      }\n    }\n    teams(first: 100) {\n      nodes {\n        id\n        name\n        namespace\n        viewerRole\n      }\n    }\n  }\n": typeof types.SessionDocument,
    "\n  mutation SendTestMail($to: String!) {\n    sendTestMail(to: $to) {\n      ok\n    }\n  }\n": typeof types.SendTestMailDocument,
    "\n  fragment SettingField on Setting {\n    key\n    group\n    name\n    description\n    kind\n    value\n    isSet\n    default\n    min\n    max\n    options\n    optional\n    source\n    effect\n    editable\n    version\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n  }\n": typeof types.SettingFieldFragmentDoc,
    "\n  mutation UpdateSettings($input: UpdateSettingsInput!) {\n    updateSettings(input: $input) {\n      settings {\n        ...SettingField\n      }\n    }\n  }\n": typeof types.UpdateSettingsDocument,
    "\n  fragment UserLimitLine on UserLimit {\n    instances\n    user {\n      id\n      displayName\n      email\n    }\n  }\n": typeof types.UserLimitLineFragmentDoc,
    "\n  query PeopleForLimits {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": typeof types.PeopleForLimitsDocument,
    "\n  mutation SetUserLimit($input: SetUserLimitInput!) {\n    setUserLimit(input: $input) {\n      userLimits {\n        ...UserLimitLine\n      }\n    }\n  }\n": typeof types.SetUserLimitDocument,
    "\n  fragment ShareRow on Share {\n    id\n    state\n    mode\n    volumeName\n    sizeBytes\n    fromTeamName\n    ownerName\n    grantedByName\n    granteeKind\n    grantee\n    team {\n      id\n      name\n    }\n    message\n    createdAt\n    endsAt\n    lapsesAt\n    ready\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      kind\n      readOnly\n    }\n    can {\n      accept\n      decline\n      change\n      revoke\n    }\n  }\n": typeof types.ShareRowFragmentDoc,
    "\n  query IncomingShares($first: Int, $after: String, $filter: ShareFilter) {\n    shares(direction: INCOMING, first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...ShareRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.IncomingSharesDocument,
    "\n  mutation AcceptShare($id: ID!, $teamId: ID) {\n    acceptShare(id: $id, teamId: $teamId) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.AcceptShareDocument,
    "\n  mutation DeclineShare($id: ID!, $confirm: Boolean!) {\n    declineShare(id: $id, confirm: $confirm) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.DeclineShareDocument,
    "\n  query OutgoingShares($volumeId: ID!) {\n    shares(direction: OUTGOING, first: 100, filter: { volumeId: $volumeId, states: [OFFERED, ACCEPTED] }) {\n      nodes {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.OutgoingSharesDocument,
    "\n  query PreviewRevokeShare($id: ID!) {\n    previewRevokeShare(id: $id) {\n      stopped\n      usedBy {\n        id\n        name\n        kind\n        ownerName\n        readOnly\n      }\n    }\n  }\n": typeof types.PreviewRevokeShareDocument,
    "\n  mutation RevokeShare($id: ID!, $confirm: Boolean!, $after: ShareAfter!) {\n    revokeShare(id: $id, confirm: $confirm, after: $after) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.RevokeShareDocument,
    "\n  mutation GiveBackShare($id: ID!) {\n    declineShare(id: $id, confirm: true) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.GiveBackShareDocument,
    "\n  mutation ShareVolume($input: ShareVolumeInput!) {\n    shareVolume(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.ShareVolumeDocument,
    "\n  mutation ChangeShare($input: ChangeShareInput!) {\n    changeShare(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": typeof types.ChangeShareDocument,
    "\n  query PreviewShare($input: ShareTargetInput!) {\n    previewShare(input: $input) {\n      atOnce\n      acrossTeams\n      lapsesAt\n      reason {\n        ...ReasonText\n      }\n      usedBy {\n        id\n        name\n      }\n    }\n  }\n": typeof types.PreviewShareDocument,
    "\n  query TeamSlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n      used\n      waiting\n      uses {\n        step\n        state\n        holds\n        since\n        flowRun {\n          id\n          localTime\n          flow {\n            id\n            name\n          }\n        }\n      }\n    }\n  }\n": typeof types.TeamSlotGroupsDocument,
    "\n  mutation SetSlotGroup($teamId: ID!, $name: String!, $slots: Int!) {\n    setSlotGroup(teamId: $teamId, name: $name, slots: $slots) {\n      group {\n        id\n        name\n        slots\n      }\n    }\n  }\n": typeof types.SetSlotGroupDocument,
    "\n  query TeamDeletion($id: ID!) {\n    teamDeletion(id: $id) {\n      namespace\n      secrets\n      images\n      members\n      invitations\n      left\n    }\n  }\n": typeof types.TeamDeletionDocument,
    "\n  fragment InvitationLine on Invitation {\n    id\n    email\n    role\n    expiresAt\n    inviter {\n      id\n      displayName\n    }\n  }\n": typeof types.InvitationLineFragmentDoc,
    "\n  query Invitations($teamId: ID!) {\n    invitations(teamId: $teamId) {\n      ...InvitationLine\n    }\n  }\n": typeof types.InvitationsDocument,
    "\n  mutation ResendInvitation($id: ID!) {\n    resendInvitation(id: $id) {\n      url\n      invitation {\n        ...InvitationLine\n      }\n    }\n  }\n": typeof types.ResendInvitationDocument,
    "\n  mutation RevokeInvitation($id: ID!) {\n    revokeInvitation(id: $id) {\n      id\n    }\n  }\n": typeof types.RevokeInvitationDocument,
    "\n  mutation InviteMember($input: InviteMemberInput!) {\n    inviteMember(input: $input) {\n      url\n      invitation {\n        id\n      }\n    }\n  }\n": typeof types.InviteMemberDocument,
    "\n  query PeopleToAdd($first: Int!) {\n    users(first: $first) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": typeof types.PeopleToAddDocument,
    "\n  mutation AddTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": typeof types.AddTeamMemberDocument,
    "\n  query LeavePreview($userId: ID!, $teamId: ID!) {\n    departurePreview(userId: $userId, teamId: $teamId) {\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n": typeof types.LeavePreviewDocument,
    "\n  mutation MakeViewer($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": typeof types.MakeViewerDocument,
    "\n  mutation RemoveTeamMember($input: RemoveTeamMemberInput!) {\n    removeTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": typeof types.RemoveTeamMemberDocument,
    "\n  fragment Member on Membership {\n    role\n    user {\n      id\n      displayName\n      email\n    }\n  }\n": typeof types.MemberFragmentDoc,
    "\n  mutation SetTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": typeof types.SetTeamMemberDocument,
    "\n  query QuotaPreview($input: QuotaPreviewInput!) {\n    quotaPreview(input: $input) {\n      largestVolume\n      defaults {\n        cpuMilli\n        memoryBytes\n      }\n      defaultRequests {\n        cpuMilli\n        memoryBytes\n      }\n      items {\n        resource\n        unit\n        used\n        oldLimit\n        newLimit\n        excess\n        promised\n        unlimited\n        capacity\n        exceeding {\n          id\n          name\n          amount\n        }\n        blocked {\n          id\n          name\n          amount\n        }\n      }\n    }\n  }\n": typeof types.QuotaPreviewDocument,
    "\n  fragment Quota on QuotaStatus {\n    observedAt\n    items {\n      resource\n      unit\n      used\n      requested\n      limit\n      holders {\n        id\n        name\n        amount\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": typeof types.QuotaFragmentDoc,
    "\n  fragment TeamRetention on TeamRetention {\n    own {\n      logDays\n      runDays\n    }\n    effective {\n      logDays\n      runDays\n    }\n    platform {\n      logDays\n      runDays\n    }\n    mostDays\n  }\n": typeof types.TeamRetentionFragmentDoc,
    "\n  mutation SetTeamRetention($input: SetTeamRetentionInput!) {\n    setTeamRetention(input: $input) {\n      team {\n        id\n        retention {\n          ...TeamRetention\n        }\n      }\n    }\n  }\n": typeof types.SetTeamRetentionDocument,
    "\n  fragment TeamLife on Team {\n    id\n    name\n    state\n    archivedAt\n    can {\n      edit\n      transfer\n      archive\n      restore\n      delete\n      acknowledge\n      retention\n    }\n  }\n": typeof types.TeamLifeFragmentDoc,
    "\n  mutation ArchiveTeam($id: ID!, $stop: Boolean!) {\n    archiveTeam(id: $id, stop: $stop) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": typeof types.ArchiveTeamDocument,
    "\n  mutation RestoreTeam($id: ID!) {\n    restoreTeam(id: $id) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": typeof types.RestoreTeamDocument,
    "\n  mutation DeleteTeam($id: ID!, $confirmName: String!) {\n    deleteTeam(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n": typeof types.DeleteTeamDocument,
    "\n  mutation AcknowledgeTeam($id: ID!) {\n    acknowledgeTeam(id: $id) {\n      team {\n        ...TeamLife\n        reason {\n          ...ReasonText\n        }\n      }\n    }\n  }\n": typeof types.AcknowledgeTeamDocument,
    "\n  mutation TransferTeam($input: TransferTeamInput!) {\n    transferTeam(input: $input) {\n      team {\n        ...TeamLife\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": typeof types.TransferTeamDocument,
    "\n  query TransferChoices {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": typeof types.TransferChoicesDocument,
    "\n  fragment TeamLine on Team {\n    id\n    name\n    namespace\n    state\n    viewerRole\n    reason {\n      ...ReasonText\n    }\n    findings {\n      code\n    }\n    quota {\n      items {\n        resource\n        unit\n        used\n        requested\n        limit\n      }\n    }\n  }\n": typeof types.TeamLineFragmentDoc,
    "\n  query VolumeChoices($teamId: ID!) {\n    volumes(first: 100, filter: { teamId: $teamId, inTrash: false }) {\n      nodes {\n        id\n        name\n        kind\n        phase\n        sizeBytes\n        usage {\n          usedBytes\n          capacityBytes\n          source\n        }\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n    shares(direction: INCOMING, first: 100, filter: { states: [ACCEPTED], teamId: $teamId }) {\n      nodes {\n        id\n        mode\n        volumeName\n        ownerName\n        ready\n        team {\n          id\n        }\n      }\n    }\n  }\n": typeof types.VolumeChoicesDocument,
    "\n  query ClaimOwners($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": typeof types.ClaimOwnersDocument,
    "\n  mutation AdoptVolume($input: AdoptVolumeInput!) {\n    adoptVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": typeof types.AdoptVolumeDocument,
    "\n  fragment VolumeRow on Volume {\n    id\n    name\n    kind\n    description\n    sizeBytes\n    capacityBytes\n    accessMode\n    storageClass\n    phase\n    claim\n    adopted\n    createdAt\n    team {\n      id\n      name\n    }\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      readOnly\n    }\n    trash {\n      since\n      until\n    }\n    usage {\n      usedBytes\n      capacityBytes\n      inodesUsed\n      inodes\n      at\n      source\n      percent\n      nearlyFull\n    }\n    can {\n      edit\n      expand\n      trash\n      restore\n      delete\n    }\n  }\n": typeof types.VolumeRowFragmentDoc,
    "\n  query UnknownClaims($teamId: ID!) {\n    unknownClaims(teamId: $teamId) {\n      name\n      sizeBytes\n      storageClass\n      accessModes\n      phase\n      createdAt\n      ours\n      pods\n      obstacle {\n        ...ReasonText\n      }\n    }\n  }\n": typeof types.UnknownClaimsDocument,
    "\n  mutation CreateVolume($input: CreateVolumeInput!) {\n    createVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": typeof types.CreateVolumeDocument,
    "\n  query StorageClasses {\n    storageClasses {\n      name\n      default\n      expandable\n      waitsForConsumer\n      onDelete\n    }\n  }\n": typeof types.StorageClassesDocument,
    "\n  query PreviewDeleteVolume($id: ID!) {\n    previewDeleteVolume(id: $id) {\n      trashUntil\n      freesBytes\n      disk\n      usedBy {\n        id\n        name\n      }\n      wantedBy {\n        id\n        name\n      }\n    }\n  }\n": typeof types.PreviewDeleteVolumeDocument,
    "\n  mutation TrashVolume($id: ID!) {\n    trashVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": typeof types.TrashVolumeDocument,
    "\n  mutation DeleteVolume($id: ID!, $confirmName: String!) {\n    deleteVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n": typeof types.DeleteVolumeDocument,
    "\n  mutation UpdateVolume($input: UpdateVolumeInput!) {\n    updateVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": typeof types.UpdateVolumeDocument,
    "\n  mutation ExpandVolume($input: ExpandVolumeInput!) {\n    expandVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": typeof types.ExpandVolumeDocument,
    "\n  query Volumes($first: Int, $after: String, $filter: VolumeFilter) {\n    volumes(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...VolumeRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.VolumesDocument,
    "\n  mutation RestoreVolume($id: ID!) {\n    restoreVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": typeof types.RestoreVolumeDocument,
    "\n  query VolumeUsageHistory($id: ID!) {\n    volume(id: $id) {\n      id\n      usageHistory(points: 120) {\n        at\n        usedBytes\n        capacityBytes\n      }\n    }\n  }\n": typeof types.VolumeUsageHistoryDocument,
    "\n  query Account {\n    sessions {\n      id\n      ...SessionLine\n    }\n    accessTokens {\n      id\n      ...AccessTokenLine\n    }\n  }\n": typeof types.AccountDocument,
    "\n  mutation EndOtherSessions {\n    endOtherSessions {\n      ok\n    }\n  }\n": typeof types.EndOtherSessionsDocument,
    "\n  query DeparturePreview($userId: ID!) {\n    departurePreview(userId: $userId) {\n      user {\n        id\n        displayName\n        email\n      }\n      sessions\n      accessTokens\n      lastAdministrator\n      began\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n": typeof types.DeparturePreviewDocument,
    "\n  mutation DepartUser($input: DepartUserInput!) {\n    departUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": typeof types.DepartUserDocument,
    "\n  mutation DeleteUser($input: DepartUserInput!) {\n    deleteUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": typeof types.DeleteUserDocument,
    "\n  query DeviceViewer {\n    viewer {\n      user {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": typeof types.DeviceViewerDocument,
    "\n  query Images($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageCard\n      }\n    }\n  }\n": typeof types.ImagesDocument,
    "\n  mutation CreateInstance($input: CreateInstanceInput!) {\n    createInstance(input: $input) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": typeof types.CreateInstanceDocument,
    "\n  query InvitationOffer($token: String!) {\n    viewer {\n      user {\n        id\n        email\n      }\n    }\n    invitation(token: $token) {\n      teamName\n      inviterName\n      email\n      role\n      message\n      expiresAt\n      forViewer\n      known\n      closed\n    }\n  }\n": typeof types.InvitationOfferDocument,
    "\n  mutation AcceptInvitation($input: AcceptInvitationInput!) {\n    acceptInvitation(input: $input) {\n      teamId\n    }\n  }\n": typeof types.AcceptInvitationDocument,
    "\n  query Overview($teamId: ID!) {\n    instances(first: 30, filter: { teamId: $teamId }) {\n      nodes {\n        ...InstanceRow\n      }\n    }\n    runs(first: 20, filter: { teamId: $teamId }) {\n      nodes {\n        ...RunRow\n      }\n    }\n    team(id: $teamId) {\n      id\n      reason {\n        ...ReasonText\n      }\n      quota {\n        ...Quota\n      }\n    }\n    cluster {\n      reachable\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n": typeof types.OverviewDocument,
    "\n  subscription OverviewInstances($teamId: ID!) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n": typeof types.OverviewInstancesDocument,
    "\n  subscription OverviewRuns($teamId: ID!) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n": typeof types.OverviewRunsDocument,
    "\n  mutation RunNow($input: RunNowInput!) {\n    runNow(input: $input) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n": typeof types.RunNowDocument,
    "\n  query Settings {\n    settings {\n      ...SettingField\n    }\n    userLimits {\n      ...UserLimitLine\n    }\n  }\n": typeof types.SettingsDocument,
    "\n  query ShareFiles($id: ID!) {\n    share(id: $id) {\n      ...ShareRow\n    }\n  }\n": typeof types.ShareFilesDocument,
    "\n  query TeamEdit($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      ...TeamLife\n      overcommit {\n        cpu\n        memory\n        onlineCpu\n        onlineMemory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        items {\n          resource\n          unit\n          limit\n        }\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n    }\n  }\n": typeof types.TeamEditDocument,
    "\n  mutation UpdateTeam($input: UpdateTeamInput!) {\n    updateTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": typeof types.UpdateTeamDocument,
    "\n  mutation CreateTeam($input: CreateTeamInput!) {\n    createTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": typeof types.CreateTeamDocument,
    "\n  query Team($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      overcommit {\n        cpu\n        memory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        observedAt\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n      retention {\n        ...TeamRetention\n      }\n      ...TeamLife\n    }\n  }\n": typeof types.TeamDocument,
    "\n  query Teams {\n    teams(first: 200) {\n      nodes {\n        ...TeamLine\n      }\n    }\n  }\n": typeof types.TeamsDocument,
    "\n  query VolumeFiles($id: ID!) {\n    volume(id: $id) {\n      id\n      name\n      team {\n        id\n      }\n    }\n  }\n": typeof types.VolumeFilesDocument,
    "\n  query Volume($id: ID!) {\n    volume(id: $id) {\n      ...VolumeRow\n    }\n  }\n": typeof types.VolumeDocument,
};
const documents: Documents = {
    "\n  query Identities {\n    identities {\n      id\n      provider\n      issuer\n      email\n      usedAt\n    }\n  }\n": types.IdentitiesDocument,
    "\n  mutation UnlinkIdentity($id: ID!) {\n    unlinkIdentity(id: $id) {\n      id\n    }\n  }\n": types.UnlinkIdentityDocument,
    "\n  query Password {\n    password {\n      changedAt\n      currentNeeded\n      removable\n    }\n  }\n": types.PasswordDocument,
    "\n  mutation SetPassword($input: SetPasswordInput!) {\n    setPassword(input: $input) {\n      password {\n        changedAt\n      }\n    }\n  }\n": types.SetPasswordDocument,
    "\n  mutation RemovePassword($current: String!) {\n    removePassword(current: $current) {\n      password {\n        changedAt\n      }\n    }\n  }\n": types.RemovePasswordDocument,
    "\n  fragment SessionLine on Session {\n    id\n    createdAt\n    usedAt\n    address\n    agent\n    current\n  }\n": types.SessionLineFragmentDoc,
    "\n  mutation EndSession($id: ID!) {\n    endSession(id: $id) {\n      id\n    }\n  }\n": types.EndSessionDocument,
    "\n  mutation CreateAccessToken($input: CreateAccessTokenInput!) {\n    createAccessToken(input: $input) {\n      token\n    }\n  }\n": types.CreateAccessTokenDocument,
    "\n  fragment AccessTokenLine on AccessToken {\n    id\n    name\n    scope\n    subjectId\n    createdAt\n    expiresAt\n    usedAt\n    address\n  }\n": types.AccessTokenLineFragmentDoc,
    "\n  mutation RevokeAccessToken($id: ID!) {\n    revokeAccessToken(id: $id) {\n      id\n    }\n  }\n": types.RevokeAccessTokenDocument,
    "\n  fragment AuditLine on AuditEntry {\n    id\n    at\n    action\n    objectId\n    before\n    after\n    address\n    actor {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n    }\n  }\n": types.AuditLineFragmentDoc,
    "\n  query AuditLog($first: Int, $after: String, $filter: AuditFilter) {\n    auditLog(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...AuditLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.AuditLogDocument,
    "\n  fragment CarryNote on CarryNote {\n    code\n    what\n    text\n  }\n": types.CarryNoteFragmentDoc,
    "\n  fragment EventItem on Event {\n    id\n    at\n    count\n    severity\n    source\n    type\n    message\n    actor {\n      id\n      displayName\n    }\n  }\n": types.EventItemFragmentDoc,
    "\n  subscription EventAdded($subjectId: ID!) {\n    eventAdded(subjectId: $subjectId) {\n      ...EventItem\n    }\n  }\n": types.EventAddedDocument,
    "\n  query PreviewBackfill($input: BackfillInput!) {\n    previewBackfill(input: $input) {\n      count\n      existing\n      times {\n        ...FireTime\n      }\n    }\n  }\n": types.PreviewBackfillDocument,
    "\n  mutation StartBackfill($input: BackfillInput!) {\n    startBackfill(input: $input) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n": types.StartBackfillDocument,
    "\n  fragment BackfillItem on Backfill {\n    id\n    number\n    total\n    started\n    parallel\n    state\n    createdAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n  }\n": types.BackfillItemFragmentDoc,
    "\n  query Backfills($flowId: ID!) {\n    backfills(flowId: $flowId) {\n      ...BackfillItem\n    }\n  }\n": types.BackfillsDocument,
    "\n  mutation CancelBackfill($id: ID!, $stopRuns: Boolean!) {\n    cancelBackfill(id: $id, stopRuns: $stopRuns) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n": types.CancelBackfillDocument,
    "\n  query FlowFires($id: ID!, $first: Int!) {\n    flowFires(id: $id, first: $first) {\n      ...FireTime\n    }\n  }\n": types.FlowFiresDocument,
    "\n  fragment FlowChangeItem on FlowChange {\n    task\n    path\n    kind\n    before\n    after\n  }\n": types.FlowChangeItemFragmentDoc,
    "\n  query FlowChoices($teamId: ID!) {\n    flows(first: 100, filter: { teamId: $teamId }) {\n      nodes {\n        id\n        name\n      }\n    }\n  }\n": types.FlowChoicesDocument,
    "\n  query FlowEditForm($id: ID!) {\n    flow(id: $id) {\n      id\n      name\n      latest\n      team {\n        id\n      }\n      version {\n        id\n        number\n        spec\n      }\n    }\n  }\n": types.FlowEditFormDocument,
    "\n  mutation SaveFlow($input: SaveFlowInput!) {\n    saveFlow(input: $input) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n": types.SaveFlowDocument,
    "\n  query FlowLatest($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n    }\n  }\n": types.FlowLatestDocument,
    "\n  mutation CreateFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": types.CreateFlowDocument,
    "\n  query FlowDraft($instanceId: ID, $runId: ID) {\n    flowDraft(instanceId: $instanceId, runId: $runId) {\n      teamId\n      name\n      spec\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n": types.FlowDraftDocument,
    "\n  query SlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n    }\n  }\n": types.SlotGroupsDocument,
    "\n  query CheckFlow($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      spec\n      yaml\n      fires {\n        ...FireTime\n      }\n    }\n  }\n": types.CheckFlowDocument,
    "\n  fragment FireTime on FlowFire {\n    at\n    local\n    note\n  }\n": types.FireTimeFragmentDoc,
    "\n  query Flows($first: Int, $after: String, $filter: FlowFilter) {\n    flows(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.FlowsDocument,
    "\n  subscription FlowsChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n    }\n  }\n": types.FlowsChangedDocument,
    "\n  subscription FlowsRunsChanged($teamId: ID) {\n    flowRunsChanged(teamId: $teamId) {\n      ...FlowSpark\n      flow {\n        id\n        nextFireAt\n        lastRuns(last: 10) {\n          ...FlowSpark\n        }\n      }\n    }\n  }\n": types.FlowsRunsChangedDocument,
    "\n  query ExportFlow($id: ID!) {\n    flow(id: $id) {\n      id\n      version {\n        id\n        yaml\n      }\n    }\n  }\n": types.ExportFlowDocument,
    "\n  mutation RenameFlow($id: ID!, $name: String!) {\n    renameFlow(id: $id, name: $name) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": types.RenameFlowDocument,
    "\n  mutation TransferFlow($id: ID!, $userId: ID!) {\n    transferFlow(id: $id, userId: $userId) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": types.TransferFlowDocument,
    "\n  mutation DeleteFlow($id: ID!, $name: String!) {\n    deleteFlow(id: $id, name: $name) {\n      id\n    }\n  }\n": types.DeleteFlowDocument,
    "\n  query FlowMembers($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": types.FlowMembersDocument,
    "\n  fragment FlowRow on Flow {\n    id\n    name\n    description\n    tags\n    paused\n    pausedWhy {\n      ...ReasonText\n    }\n    nextFireAt\n    overdue {\n      ...ReasonText\n    }\n    owner {\n      id\n      displayName\n    }\n    schedule {\n      kind\n      text\n      timezone\n    }\n    lastRuns(last: 10) {\n      ...FlowSpark\n    }\n    can {\n      edit\n      run\n      pause\n      delete\n    }\n  }\n": types.FlowRowFragmentDoc,
    "\n  query Flow($id: ID!) {\n    flow(id: $id) {\n      ...FlowRow\n      ...FlowHead\n      grid: lastRuns(last: 30) {\n        ...FlowGridRun\n      }\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n": types.FlowDocument,
    "\n  subscription FlowChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n      ...FlowHead\n    }\n  }\n": types.FlowChangedDocument,
    "\n  subscription FlowGridChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowGridRun\n      flow {\n        id\n        nextFireAt\n      }\n    }\n  }\n": types.FlowGridChangedDocument,
    "\n  fragment FlowHead on Flow {\n    id\n    latest\n    createdAt\n    updatedAt\n    team {\n      id\n      name\n    }\n    version {\n      id\n      number\n      spec\n      comment\n      createdAt\n      author {\n        id\n        displayName\n      }\n    }\n  }\n": types.FlowHeadFragmentDoc,
    "\n  fragment FlowGridRun on FlowRun {\n    id\n    version\n    localTime\n    state\n    steps {\n      id\n      name\n      state\n    }\n  }\n": types.FlowGridRunFragmentDoc,
    "\n  query CheckImport($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      fires {\n        ...FireTime\n      }\n    }\n  }\n": types.CheckImportDocument,
    "\n  mutation ImportFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": types.ImportFlowDocument,
    "\n  mutation PauseFlow($id: ID!) {\n    pauseFlow(id: $id) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": types.PauseFlowDocument,
    "\n  mutation UnpauseFlow($id: ID!, $catchUp: Int!) {\n    unpauseFlow(id: $id, catchUp: $catchUp) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n": types.UnpauseFlowDocument,
    "\n  query PreviewUnpause($id: ID!) {\n    previewUnpause(id: $id) {\n      missed\n      times {\n        ...FireTime\n      }\n      next {\n        ...FireTime\n      }\n    }\n  }\n": types.PreviewUnpauseDocument,
    "\n  fragment FlowProblemItem on FlowProblem {\n    path\n    line\n    column\n    text\n  }\n": types.FlowProblemItemFragmentDoc,
    "\n  mutation RunFlow($input: RunFlowInput!) {\n    runFlow(input: $input) {\n      flowRun {\n        ...FlowRunRow\n      }\n    }\n  }\n": types.RunFlowDocument,
    "\n  fragment FlowSpark on FlowRun {\n    id\n    state\n    localTime\n  }\n": types.FlowSparkFragmentDoc,
    "\n  query FlowVersions($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n      versions(first: 200) {\n        id\n        number\n        comment\n        createdAt\n        restores\n        code {\n          id\n          subPath\n          state\n          files\n          bytes\n          sha256\n          frozenAt\n          reason {\n            text\n            advice\n          }\n        }\n        author {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": types.FlowVersionsDocument,
    "\n  query FlowVersionChanges($id: ID!, $number: Int!, $from: Int) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n": types.FlowVersionChangesDocument,
    "\n  mutation RestoreFlowVersion($id: ID!, $number: Int!, $comment: String!) {\n    restoreFlowVersion(id: $id, number: $number, comment: $comment) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n": types.RestoreFlowVersionDocument,
    "\n  mutation StopFlowRun($id: ID!) {\n    stopFlowRun(id: $id) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n": types.StopFlowRunDocument,
    "\n  mutation RerunFlowRun($input: RerunFlowRunInput!) {\n    rerunFlowRun(input: $input) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n": types.RerunFlowRunDocument,
    "\n  mutation MarkStep($flowRunId: ID!, $step: String!, $as: StepMark!) {\n    markStep(flowRunId: $flowRunId, step: $step, as: $as) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n": types.MarkStepDocument,
    "\n  fragment ComparedRun on FlowRun {\n    id\n    number\n    state\n    cause\n    localTime\n    lateness\n    startedAt\n    endedAt\n    parameters\n    reason {\n      ...ReasonText\n    }\n    flow {\n      id\n      name\n    }\n    steps {\n      id\n      name\n      state\n      startedAt\n      endedAt\n    }\n  }\n": types.ComparedRunFragmentDoc,
    "\n  query CompareFlowRuns($left: ID!, $right: ID!) {\n    left: flowRun(id: $left) {\n      ...ComparedRun\n    }\n    right: flowRun(id: $right) {\n      ...ComparedRun\n    }\n  }\n": types.CompareFlowRunsDocument,
    "\n  query ComparedVersions($id: ID!, $number: Int!, $from: Int!) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n": types.ComparedVersionsDocument,
    "\n  mutation DeleteFlowRun($id: ID!) {\n    deleteFlowRun(id: $id) {\n      id\n    }\n  }\n": types.DeleteFlowRunDocument,
    "\n  query FlowRuns($first: Int, $after: String, $filter: FlowRunFilter) {\n    flowRuns(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.FlowRunsDocument,
    "\n  subscription FlowRunsChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowRunRow\n    }\n  }\n": types.FlowRunsChangedDocument,
    "\n  fragment FlowRunRow on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    steps {\n      id\n      name\n      state\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n": types.FlowRunRowFragmentDoc,
    "\n  query FlowRun($id: ID!) {\n    flowRun(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n      spec\n      parameters\n      owner {\n        id\n        displayName\n      }\n      flow {\n        id\n        name\n        lastRuns(last: 30) {\n          id\n          localTime\n        }\n      }\n    }\n  }\n": types.FlowRunDocument,
    "\n  subscription FlowRunChanged($id: ID!) {\n    flowRunChanged(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n    }\n  }\n": types.FlowRunChangedDocument,
    "\n  fragment FlowRunHead on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    timezone\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    backfillId\n    reason {\n      ...ReasonText\n    }\n    actor {\n      id\n      displayName\n    }\n    stoppedBy {\n      id\n      displayName\n    }\n    steps {\n      id\n      name\n      state\n      round\n      startedAt\n      endedAt\n      readyAt\n      nextPollAt\n      polls\n      reason {\n        ...ReasonText\n      }\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n": types.FlowRunHeadFragmentDoc,
    "\n  query FlowRunHistory($id: ID!) {\n    flowRun(id: $id) {\n      id\n      transitions {\n        id\n        step\n        round\n        was\n        becomes\n        text\n        at\n        actor {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": types.FlowRunHistoryDocument,
    "\n  fragment StepDetail on Step {\n    id\n    outputs\n    with\n    runs {\n      id\n      name\n      state\n      can {\n        rerun\n      }\n      attempts {\n        id\n        number\n        state\n        exitCode\n        log {\n          lines\n          complete\n          truncated\n          removedAt\n          keptDays\n        }\n      }\n    }\n  }\n": types.StepDetailFragmentDoc,
    "\n  query FlowRunStep($id: ID!) {\n    node(id: $id) {\n      kind: __typename\n      ... on Step {\n        ...StepDetail\n      }\n    }\n  }\n": types.FlowRunStepDocument,
    "\n  mutation SignOut {\n    signOut {\n      ok\n      providerUrl\n    }\n  }\n": types.SignOutDocument,
    "\n  query Palette($teamId: ID!, $search: String!) {\n    instances(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n    runs(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n  }\n": types.PaletteDocument,
    "\n  fragment ImageCard on Image {\n    id\n    name\n    reference\n    description\n    framework\n    version\n    gpu\n    development\n    apps\n    recommended\n    deprecated\n    sizeBytes\n    reason {\n      ...ReasonText\n    }\n    team {\n      id\n      name\n    }\n  }\n": types.ImageCardFragmentDoc,
    "\n  fragment ImageChoice on Image {\n    id\n    name\n    reference\n    framework\n    version\n    gpu\n    development\n    recommended\n    deprecated\n    reason {\n      ...ReasonText\n    }\n  }\n": types.ImageChoiceFragmentDoc,
    "\n  query ImageChoices($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageChoice\n      }\n    }\n  }\n": types.ImageChoicesDocument,
    "\n  mutation StartInstance($id: ID!, $wait: Boolean! = false) {\n    startInstance(id: $id, wait: $wait) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": types.StartInstanceDocument,
    "\n  mutation StopInstance($id: ID!) {\n    stopInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": types.StopInstanceDocument,
    "\n  mutation RestartInstance($id: ID!) {\n    restartInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": types.RestartInstanceDocument,
    "\n  mutation OpenInstanceApp($id: ID!, $app: String!) {\n    openInstanceApp(id: $id, app: $app) {\n      url\n    }\n  }\n": types.OpenInstanceAppDocument,
    "\n  query InstanceAppLog($id: ID!, $app: String!) {\n    instanceAppLog(id: $id, app: $app) {\n      lines {\n        at\n        text\n      }\n    }\n  }\n": types.InstanceAppLogDocument,
    "\n  fragment InstanceCommand on Instance {\n    id\n    env {\n      name\n      value\n    }\n  }\n": types.InstanceCommandFragmentDoc,
    "\n  fragment InstanceConnect on Instance {\n    id\n    state\n    starts\n    apps {\n      name\n      port\n      state\n      reason {\n        ...ReasonText\n      }\n    }\n    ssh {\n      command\n      config\n      hostKeyFingerprint\n    }\n    can {\n      connect\n    }\n  }\n": types.InstanceConnectFragmentDoc,
    "\n  mutation DeleteInstance($id: ID!) {\n    deleteInstance(id: $id) {\n      id\n    }\n  }\n": types.DeleteInstanceDocument,
    "\n  fragment InstanceEdit on Instance {\n    id\n    name\n    version\n    team {\n      id\n    }\n    image {\n      id\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      secretId\n      as\n      at\n    }\n  }\n": types.InstanceEditFragmentDoc,
    "\n  query InstanceEditForm($id: ID!) {\n    instance(id: $id) {\n      ...InstanceEdit\n    }\n  }\n": types.InstanceEditFormDocument,
    "\n  mutation UpdateInstance($input: UpdateInstanceInput!) {\n    updateInstance(input: $input) {\n      instance {\n        ...InstanceEdit\n        ...InstanceHead\n        ...InstanceStory\n        ...InstanceFacts\n      }\n    }\n  }\n": types.UpdateInstanceDocument,
    "\n  fragment InstanceFacts on Instance {\n    id\n    node\n    objectName\n    starts\n    createdAt\n    startedAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    image {\n      id\n      name\n      reference\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      ...SecretUseItem\n    }\n  }\n": types.InstanceFactsFragmentDoc,
    "\n  query Instances($first: Int, $after: String, $filter: InstanceFilter) {\n    instances(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...InstanceRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.InstancesDocument,
    "\n  subscription InstancesChanged($teamId: ID) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n": types.InstancesChangedDocument,
    "\n  mutation MoveInstance($id: ID!, $acceptRisk: Boolean!) {\n    moveInstance(id: $id, acceptRisk: $acceptRisk) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": types.MoveInstanceDocument,
    "\n  query InstancePreset($runId: ID!) {\n    instancePreset(runId: $runId) {\n      teamId\n      name\n      imageId\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        volumeId\n        path\n        readOnly\n        subPath\n      }\n      env {\n        name\n        value\n      }\n      secrets {\n        secretId\n        as\n        at\n      }\n      command\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n": types.InstancePresetDocument,
    "\n  fragment InstanceRow on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    readyAt\n    owner {\n      id\n      displayName\n    }\n    image {\n      id\n      name\n    }\n    resources {\n      ...ResourcesText\n    }\n    reason {\n      ...ReasonText\n    }\n    apps {\n      name\n      state\n    }\n    can {\n      start\n      stop\n      connect\n    }\n  }\n": types.InstanceRowFragmentDoc,
    "\n  mutation RevealInstanceSecret($id: ID!) {\n    revealInstanceSecret(id: $id) {\n      password\n      rootPassword\n    }\n  }\n": types.RevealInstanceSecretDocument,
    "\n  fragment InstanceStory on Instance {\n    id\n    state\n    restartToApply\n    reason {\n      ...ReasonText\n    }\n    timeline {\n      ...PhaseItem\n    }\n    can {\n      start\n      restart\n    }\n  }\n": types.InstanceStoryFragmentDoc,
    "\n  fragment InstanceHead on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    readyAt\n    updatedAt\n    apps {\n      name\n      state\n    }\n    mounts {\n      ...MountItem\n    }\n    can {\n      start\n      stop\n      restart\n      move\n      edit\n      delete\n      connect\n    }\n  }\n": types.InstanceHeadFragmentDoc,
    "\n  query Instance($id: ID!) {\n    instance(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n": types.InstanceDocument,
    "\n  subscription InstanceChanged($id: ID!) {\n    instanceChanged(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n    }\n  }\n": types.InstanceChangedDocument,
    "\n  fragment LogWindow on LogWindow {\n    lines {\n      number\n      time\n      source\n      text\n      partial\n      code\n    }\n    cursor\n    complete\n  }\n": types.LogWindowFragmentDoc,
    "\n  query Log($attemptId: ID!, $after: String, $fromLine: Int64, $last: Int, $limit: Int) {\n    log(attemptId: $attemptId, after: $after, fromLine: $fromLine, last: $last, limit: $limit) {\n      ...LogWindow\n    }\n  }\n": types.LogDocument,
    "\n  query SearchLog($attemptId: ID!, $text: String!, $regexp: Boolean!, $fromLine: Int64!, $limit: Int!) {\n    searchLog(attemptId: $attemptId, text: $text, regexp: $regexp, fromLine: $fromLine, limit: $limit) {\n      lines {\n        number\n      }\n      next\n      end\n    }\n  }\n": types.SearchLogDocument,
    "\n  subscription LogAppended($attemptId: ID!, $after: String) {\n    logAppended(attemptId: $attemptId, after: $after) {\n      ...LogWindow\n    }\n  }\n": types.LogAppendedDocument,
    "\n  fragment MountItem on Mount {\n    volumeId\n    path\n    readOnly\n    subPath\n    volume {\n      id\n      name\n      kind\n    }\n    share {\n      id\n      volumeName\n      ownerName\n    }\n  }\n": types.MountItemFragmentDoc,
    "\n  fragment Estate on Estate {\n    teamId\n    teamName\n    role\n    tasks\n    flows\n    instances {\n      id\n      name\n      running\n    }\n    runs {\n      id\n      name\n    }\n    volumes {\n      id\n      name\n      kind\n      sizeBytes\n      inTrash\n    }\n    invitations {\n      id\n      email\n    }\n    heirs {\n      id\n      displayName\n    }\n    heir {\n      id\n      displayName\n    }\n  }\n": types.EstateFragmentDoc,
    "\n  fragment PersonLine on Person {\n    state\n    lastSeenAt\n    waysIn\n    sessions\n    accessTokens\n    user {\n      id\n      email\n      displayName\n      platformRole\n    }\n    memberships {\n      role\n      team {\n        id\n        name\n      }\n    }\n  }\n": types.PersonLineFragmentDoc,
    "\n  query People($first: Int, $after: String, $filter: PersonFilter) {\n    people(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...PersonLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.PeopleDocument,
    "\n  mutation CreateUser($input: CreateUserInput!) {\n    createUser(input: $input) {\n      signInUrl\n      user {\n        id\n      }\n    }\n  }\n": types.CreateUserDocument,
    "\n  mutation SetPlatformRole($input: SetPlatformRoleInput!) {\n    setPlatformRole(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": types.SetPlatformRoleDocument,
    "\n  mutation DisableUser($id: ID!) {\n    disableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": types.DisableUserDocument,
    "\n  mutation EnableUser($id: ID!) {\n    enableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": types.EnableUserDocument,
    "\n  mutation SignOutUser($input: SignOutUserInput!) {\n    signOutUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": types.SignOutUserDocument,
    "\n  mutation CreateSignInLink($userId: ID!) {\n    createSignInLink(userId: $userId) {\n      url\n      expiresAt\n    }\n  }\n": types.CreateSignInLinkDocument,
    "\n  fragment PlatformVolumeRow on PlatformVolume {\n    id\n    name\n    description\n    path\n    readOnly\n    enabled\n    phase\n    reason {\n      ...ReasonText\n    }\n    source {\n      namespace\n      claim\n      made\n      sizeBytes\n      storageClass\n    }\n    readyTeams\n    teams\n    createdAt\n  }\n": types.PlatformVolumeRowFragmentDoc,
    "\n  mutation CreatePlatformVolume($input: CreatePlatformVolumeInput!) {\n    createPlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n": types.CreatePlatformVolumeDocument,
    "\n  mutation UpdatePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n": types.UpdatePlatformVolumeDocument,
    "\n  mutation DeletePlatformVolume($id: ID!, $confirmName: String!) {\n    deletePlatformVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n": types.DeletePlatformVolumeDocument,
    "\n  query PlatformVolumes {\n    platformVolumes {\n      ...PlatformVolumeRow\n    }\n  }\n": types.PlatformVolumesDocument,
    "\n  mutation EnablePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n": types.EnablePlatformVolumeDocument,
    "\n  fragment PhaseItem on Phase {\n    name\n    since\n    seconds\n  }\n": types.PhaseItemFragmentDoc,
    "\n  fragment ReasonText on Reason {\n    code\n    text\n    advice\n    args\n  }\n": types.ReasonTextFragmentDoc,
    "\n  query Fit($teamId: ID!, $resources: ResourcesInput!, $class: TaskClass!) {\n    fit(teamId: $teamId, resources: $resources, class: $class) {\n      nodes\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n": types.FitDocument,
    "\n  query Profiles {\n    profiles {\n      name\n      cpu\n      memory\n      gpu\n    }\n  }\n": types.ProfilesDocument,
    "\n  fragment ResourcesText on Resources {\n    cpuMilli\n    memoryBytes\n    gpu\n  }\n": types.ResourcesTextFragmentDoc,
    "\n  mutation StopRun($id: ID!) {\n    stopRun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n": types.StopRunDocument,
    "\n  mutation Rerun($id: ID!) {\n    rerun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n": types.RerunDocument,
    "\n  mutation DeleteRun($id: ID!) {\n    deleteRun(id: $id) {\n      id\n    }\n  }\n": types.DeleteRunDocument,
    "\n  fragment RunFacts on Run {\n    id\n    createdAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    task {\n      id\n      command\n      args\n      workingDir\n      class\n      retries\n      timeoutSeconds\n      env {\n        name\n        value\n      }\n      secrets {\n        ...SecretUseItem\n      }\n      image {\n        id\n        name\n        reference\n      }\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        ...MountItem\n      }\n      code {\n        volumeId\n        subPath\n        writable\n        volume {\n          id\n          name\n        }\n      }\n      frozen {\n        snapshotId\n        files\n        bytes\n        sha256\n        frozenAt\n      }\n    }\n  }\n": types.RunFactsFragmentDoc,
    "\n  query Runs($first: Int, $after: String, $filter: RunFilter) {\n    runs(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...RunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.RunsDocument,
    "\n  subscription RunsChanged($teamId: ID) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n": types.RunsChangedDocument,
    "\n  fragment RunRow on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    task {\n      id\n      command\n      args\n      resources {\n        ...ResourcesText\n      }\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n": types.RunRowFragmentDoc,
    "\n  fragment RunHead on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    reason {\n      ...ReasonText\n    }\n    step\n    stoppedBy {\n      id\n      displayName\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n      imageDigest\n      node\n      job\n      createdAt\n      startedAt\n      endedAt\n      reason {\n        ...ReasonText\n      }\n      timeline {\n        ...PhaseItem\n      }\n      log {\n        lines\n        complete\n        truncated\n        removedAt\n        keptDays\n      }\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n": types.RunHeadFragmentDoc,
    "\n  query Run($id: ID!) {\n    run(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n": types.RunDocument,
    "\n  subscription RunChanged($id: ID!) {\n    runChanged(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n    }\n  }\n": types.RunChangedDocument,
    "\n  query SecretChoices {\n    secrets {\n      id\n      name\n      kind\n      team {\n        id\n      }\n      keys {\n        name\n      }\n    }\n  }\n": types.SecretChoicesDocument,
    "\n  mutation DeleteSecret($id: ID!, $inUse: Boolean!) {\n    deleteSecret(id: $id, inUse: $inUse) {\n      id\n    }\n  }\n": types.DeleteSecretDocument,
    "\n  mutation CreateSecret($input: CreateSecretInput!) {\n    createSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n": types.CreateSecretDocument,
    "\n  mutation ReplaceSecret($input: ReplaceSecretInput!) {\n    replaceSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n": types.ReplaceSecretDocument,
    "\n  fragment SecretRow on Secret {\n    id\n    name\n    kind\n    team {\n      id\n      name\n    }\n    keys {\n      name\n      principals\n    }\n    fingerprint\n    teamWide\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n    usedBy {\n      id\n      name\n    }\n    can {\n      manage\n    }\n  }\n": types.SecretRowFragmentDoc,
    "\n  query Secrets {\n    secrets {\n      ...SecretRow\n    }\n  }\n": types.SecretsDocument,
    "\n  fragment SecretUseItem on SecretUse {\n    secretId\n    as\n    at\n    secret {\n      id\n      name\n      kind\n    }\n  }\n": types.SecretUseItemFragmentDoc,
    "\n  query DeviceRequest($userCode: String!) {\n    deviceRequest(userCode: $userCode) {\n      id\n      name\n      address\n      scope\n      createdAt\n    }\n  }\n": types.DeviceRequestDocument,
    "\n  mutation ApproveDevice($input: ApproveDeviceInput!) {\n    approveDevice(input: $input) {\n      ok\n    }\n  }\n": types.ApproveDeviceDocument,
    "\n  mutation DenyDevice($userCode: String!) {\n    denyDevice(userCode: $userCode) {\n      ok\n    }\n  }\n": types.DenyDeviceDocument,
    "\n  query Session {\n    viewer {\n      user {\n        id\n        displayName\n        email\n        platformRole\n      }\n      memberships {\n        role\n        team {\n          id\n        }\n      }\n    }\n    teams(first: 100) {\n      nodes {\n        id\n        name\n        namespace\n        viewerRole\n      }\n    }\n  }\n": types.SessionDocument,
    "\n  mutation SendTestMail($to: String!) {\n    sendTestMail(to: $to) {\n      ok\n    }\n  }\n": types.SendTestMailDocument,
    "\n  fragment SettingField on Setting {\n    key\n    group\n    name\n    description\n    kind\n    value\n    isSet\n    default\n    min\n    max\n    options\n    optional\n    source\n    effect\n    editable\n    version\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n  }\n": types.SettingFieldFragmentDoc,
    "\n  mutation UpdateSettings($input: UpdateSettingsInput!) {\n    updateSettings(input: $input) {\n      settings {\n        ...SettingField\n      }\n    }\n  }\n": types.UpdateSettingsDocument,
    "\n  fragment UserLimitLine on UserLimit {\n    instances\n    user {\n      id\n      displayName\n      email\n    }\n  }\n": types.UserLimitLineFragmentDoc,
    "\n  query PeopleForLimits {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": types.PeopleForLimitsDocument,
    "\n  mutation SetUserLimit($input: SetUserLimitInput!) {\n    setUserLimit(input: $input) {\n      userLimits {\n        ...UserLimitLine\n      }\n    }\n  }\n": types.SetUserLimitDocument,
    "\n  fragment ShareRow on Share {\n    id\n    state\n    mode\n    volumeName\n    sizeBytes\n    fromTeamName\n    ownerName\n    grantedByName\n    granteeKind\n    grantee\n    team {\n      id\n      name\n    }\n    message\n    createdAt\n    endsAt\n    lapsesAt\n    ready\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      kind\n      readOnly\n    }\n    can {\n      accept\n      decline\n      change\n      revoke\n    }\n  }\n": types.ShareRowFragmentDoc,
    "\n  query IncomingShares($first: Int, $after: String, $filter: ShareFilter) {\n    shares(direction: INCOMING, first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...ShareRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.IncomingSharesDocument,
    "\n  mutation AcceptShare($id: ID!, $teamId: ID) {\n    acceptShare(id: $id, teamId: $teamId) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": types.AcceptShareDocument,
    "\n  mutation DeclineShare($id: ID!, $confirm: Boolean!) {\n    declineShare(id: $id, confirm: $confirm) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": types.DeclineShareDocument,
    "\n  query OutgoingShares($volumeId: ID!) {\n    shares(direction: OUTGOING, first: 100, filter: { volumeId: $volumeId, states: [OFFERED, ACCEPTED] }) {\n      nodes {\n        ...ShareRow\n      }\n    }\n  }\n": types.OutgoingSharesDocument,
    "\n  query PreviewRevokeShare($id: ID!) {\n    previewRevokeShare(id: $id) {\n      stopped\n      usedBy {\n        id\n        name\n        kind\n        ownerName\n        readOnly\n      }\n    }\n  }\n": types.PreviewRevokeShareDocument,
    "\n  mutation RevokeShare($id: ID!, $confirm: Boolean!, $after: ShareAfter!) {\n    revokeShare(id: $id, confirm: $confirm, after: $after) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": types.RevokeShareDocument,
    "\n  mutation GiveBackShare($id: ID!) {\n    declineShare(id: $id, confirm: true) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": types.GiveBackShareDocument,
    "\n  mutation ShareVolume($input: ShareVolumeInput!) {\n    shareVolume(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": types.ShareVolumeDocument,
    "\n  mutation ChangeShare($input: ChangeShareInput!) {\n    changeShare(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n": types.ChangeShareDocument,
    "\n  query PreviewShare($input: ShareTargetInput!) {\n    previewShare(input: $input) {\n      atOnce\n      acrossTeams\n      lapsesAt\n      reason {\n        ...ReasonText\n      }\n      usedBy {\n        id\n        name\n      }\n    }\n  }\n": types.PreviewShareDocument,
    "\n  query TeamSlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n      used\n      waiting\n      uses {\n        step\n        state\n        holds\n        since\n        flowRun {\n          id\n          localTime\n          flow {\n            id\n            name\n          }\n        }\n      }\n    }\n  }\n": types.TeamSlotGroupsDocument,
    "\n  mutation SetSlotGroup($teamId: ID!, $name: String!, $slots: Int!) {\n    setSlotGroup(teamId: $teamId, name: $name, slots: $slots) {\n      group {\n        id\n        name\n        slots\n      }\n    }\n  }\n": types.SetSlotGroupDocument,
    "\n  query TeamDeletion($id: ID!) {\n    teamDeletion(id: $id) {\n      namespace\n      secrets\n      images\n      members\n      invitations\n      left\n    }\n  }\n": types.TeamDeletionDocument,
    "\n  fragment InvitationLine on Invitation {\n    id\n    email\n    role\n    expiresAt\n    inviter {\n      id\n      displayName\n    }\n  }\n": types.InvitationLineFragmentDoc,
    "\n  query Invitations($teamId: ID!) {\n    invitations(teamId: $teamId) {\n      ...InvitationLine\n    }\n  }\n": types.InvitationsDocument,
    "\n  mutation ResendInvitation($id: ID!) {\n    resendInvitation(id: $id) {\n      url\n      invitation {\n        ...InvitationLine\n      }\n    }\n  }\n": types.ResendInvitationDocument,
    "\n  mutation RevokeInvitation($id: ID!) {\n    revokeInvitation(id: $id) {\n      id\n    }\n  }\n": types.RevokeInvitationDocument,
    "\n  mutation InviteMember($input: InviteMemberInput!) {\n    inviteMember(input: $input) {\n      url\n      invitation {\n        id\n      }\n    }\n  }\n": types.InviteMemberDocument,
    "\n  query PeopleToAdd($first: Int!) {\n    users(first: $first) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": types.PeopleToAddDocument,
    "\n  mutation AddTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": types.AddTeamMemberDocument,
    "\n  query LeavePreview($userId: ID!, $teamId: ID!) {\n    departurePreview(userId: $userId, teamId: $teamId) {\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n": types.LeavePreviewDocument,
    "\n  mutation MakeViewer($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": types.MakeViewerDocument,
    "\n  mutation RemoveTeamMember($input: RemoveTeamMemberInput!) {\n    removeTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": types.RemoveTeamMemberDocument,
    "\n  fragment Member on Membership {\n    role\n    user {\n      id\n      displayName\n      email\n    }\n  }\n": types.MemberFragmentDoc,
    "\n  mutation SetTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": types.SetTeamMemberDocument,
    "\n  query QuotaPreview($input: QuotaPreviewInput!) {\n    quotaPreview(input: $input) {\n      largestVolume\n      defaults {\n        cpuMilli\n        memoryBytes\n      }\n      defaultRequests {\n        cpuMilli\n        memoryBytes\n      }\n      items {\n        resource\n        unit\n        used\n        oldLimit\n        newLimit\n        excess\n        promised\n        unlimited\n        capacity\n        exceeding {\n          id\n          name\n          amount\n        }\n        blocked {\n          id\n          name\n          amount\n        }\n      }\n    }\n  }\n": types.QuotaPreviewDocument,
    "\n  fragment Quota on QuotaStatus {\n    observedAt\n    items {\n      resource\n      unit\n      used\n      requested\n      limit\n      holders {\n        id\n        name\n        amount\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": types.QuotaFragmentDoc,
    "\n  fragment TeamRetention on TeamRetention {\n    own {\n      logDays\n      runDays\n    }\n    effective {\n      logDays\n      runDays\n    }\n    platform {\n      logDays\n      runDays\n    }\n    mostDays\n  }\n": types.TeamRetentionFragmentDoc,
    "\n  mutation SetTeamRetention($input: SetTeamRetentionInput!) {\n    setTeamRetention(input: $input) {\n      team {\n        id\n        retention {\n          ...TeamRetention\n        }\n      }\n    }\n  }\n": types.SetTeamRetentionDocument,
    "\n  fragment TeamLife on Team {\n    id\n    name\n    state\n    archivedAt\n    can {\n      edit\n      transfer\n      archive\n      restore\n      delete\n      acknowledge\n      retention\n    }\n  }\n": types.TeamLifeFragmentDoc,
    "\n  mutation ArchiveTeam($id: ID!, $stop: Boolean!) {\n    archiveTeam(id: $id, stop: $stop) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": types.ArchiveTeamDocument,
    "\n  mutation RestoreTeam($id: ID!) {\n    restoreTeam(id: $id) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": types.RestoreTeamDocument,
    "\n  mutation DeleteTeam($id: ID!, $confirmName: String!) {\n    deleteTeam(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n": types.DeleteTeamDocument,
    "\n  mutation AcknowledgeTeam($id: ID!) {\n    acknowledgeTeam(id: $id) {\n      team {\n        ...TeamLife\n        reason {\n          ...ReasonText\n        }\n      }\n    }\n  }\n": types.AcknowledgeTeamDocument,
    "\n  mutation TransferTeam($input: TransferTeamInput!) {\n    transferTeam(input: $input) {\n      team {\n        ...TeamLife\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n": types.TransferTeamDocument,
    "\n  query TransferChoices {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": types.TransferChoicesDocument,
    "\n  fragment TeamLine on Team {\n    id\n    name\n    namespace\n    state\n    viewerRole\n    reason {\n      ...ReasonText\n    }\n    findings {\n      code\n    }\n    quota {\n      items {\n        resource\n        unit\n        used\n        requested\n        limit\n      }\n    }\n  }\n": types.TeamLineFragmentDoc,
    "\n  query VolumeChoices($teamId: ID!) {\n    volumes(first: 100, filter: { teamId: $teamId, inTrash: false }) {\n      nodes {\n        id\n        name\n        kind\n        phase\n        sizeBytes\n        usage {\n          usedBytes\n          capacityBytes\n          source\n        }\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n    shares(direction: INCOMING, first: 100, filter: { states: [ACCEPTED], teamId: $teamId }) {\n      nodes {\n        id\n        mode\n        volumeName\n        ownerName\n        ready\n        team {\n          id\n        }\n      }\n    }\n  }\n": types.VolumeChoicesDocument,
    "\n  query ClaimOwners($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n": types.ClaimOwnersDocument,
    "\n  mutation AdoptVolume($input: AdoptVolumeInput!) {\n    adoptVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": types.AdoptVolumeDocument,
    "\n  fragment VolumeRow on Volume {\n    id\n    name\n    kind\n    description\n    sizeBytes\n    capacityBytes\n    accessMode\n    storageClass\n    phase\n    claim\n    adopted\n    createdAt\n    team {\n      id\n      name\n    }\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      readOnly\n    }\n    trash {\n      since\n      until\n    }\n    usage {\n      usedBytes\n      capacityBytes\n      inodesUsed\n      inodes\n      at\n      source\n      percent\n      nearlyFull\n    }\n    can {\n      edit\n      expand\n      trash\n      restore\n      delete\n    }\n  }\n": types.VolumeRowFragmentDoc,
    "\n  query UnknownClaims($teamId: ID!) {\n    unknownClaims(teamId: $teamId) {\n      name\n      sizeBytes\n      storageClass\n      accessModes\n      phase\n      createdAt\n      ours\n      pods\n      obstacle {\n        ...ReasonText\n      }\n    }\n  }\n": types.UnknownClaimsDocument,
    "\n  mutation CreateVolume($input: CreateVolumeInput!) {\n    createVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": types.CreateVolumeDocument,
    "\n  query StorageClasses {\n    storageClasses {\n      name\n      default\n      expandable\n      waitsForConsumer\n      onDelete\n    }\n  }\n": types.StorageClassesDocument,
    "\n  query PreviewDeleteVolume($id: ID!) {\n    previewDeleteVolume(id: $id) {\n      trashUntil\n      freesBytes\n      disk\n      usedBy {\n        id\n        name\n      }\n      wantedBy {\n        id\n        name\n      }\n    }\n  }\n": types.PreviewDeleteVolumeDocument,
    "\n  mutation TrashVolume($id: ID!) {\n    trashVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": types.TrashVolumeDocument,
    "\n  mutation DeleteVolume($id: ID!, $confirmName: String!) {\n    deleteVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n": types.DeleteVolumeDocument,
    "\n  mutation UpdateVolume($input: UpdateVolumeInput!) {\n    updateVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": types.UpdateVolumeDocument,
    "\n  mutation ExpandVolume($input: ExpandVolumeInput!) {\n    expandVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": types.ExpandVolumeDocument,
    "\n  query Volumes($first: Int, $after: String, $filter: VolumeFilter) {\n    volumes(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...VolumeRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.VolumesDocument,
    "\n  mutation RestoreVolume($id: ID!) {\n    restoreVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n": types.RestoreVolumeDocument,
    "\n  query VolumeUsageHistory($id: ID!) {\n    volume(id: $id) {\n      id\n      usageHistory(points: 120) {\n        at\n        usedBytes\n        capacityBytes\n      }\n    }\n  }\n": types.VolumeUsageHistoryDocument,
    "\n  query Account {\n    sessions {\n      id\n      ...SessionLine\n    }\n    accessTokens {\n      id\n      ...AccessTokenLine\n    }\n  }\n": types.AccountDocument,
    "\n  mutation EndOtherSessions {\n    endOtherSessions {\n      ok\n    }\n  }\n": types.EndOtherSessionsDocument,
    "\n  query DeparturePreview($userId: ID!) {\n    departurePreview(userId: $userId) {\n      user {\n        id\n        displayName\n        email\n      }\n      sessions\n      accessTokens\n      lastAdministrator\n      began\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n": types.DeparturePreviewDocument,
    "\n  mutation DepartUser($input: DepartUserInput!) {\n    departUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": types.DepartUserDocument,
    "\n  mutation DeleteUser($input: DepartUserInput!) {\n    deleteUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n": types.DeleteUserDocument,
    "\n  query DeviceViewer {\n    viewer {\n      user {\n        id\n        displayName\n        email\n      }\n    }\n  }\n": types.DeviceViewerDocument,
    "\n  query Images($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageCard\n      }\n    }\n  }\n": types.ImagesDocument,
    "\n  mutation CreateInstance($input: CreateInstanceInput!) {\n    createInstance(input: $input) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n": types.CreateInstanceDocument,
    "\n  query InvitationOffer($token: String!) {\n    viewer {\n      user {\n        id\n        email\n      }\n    }\n    invitation(token: $token) {\n      teamName\n      inviterName\n      email\n      role\n      message\n      expiresAt\n      forViewer\n      known\n      closed\n    }\n  }\n": types.InvitationOfferDocument,
    "\n  mutation AcceptInvitation($input: AcceptInvitationInput!) {\n    acceptInvitation(input: $input) {\n      teamId\n    }\n  }\n": types.AcceptInvitationDocument,
    "\n  query Overview($teamId: ID!) {\n    instances(first: 30, filter: { teamId: $teamId }) {\n      nodes {\n        ...InstanceRow\n      }\n    }\n    runs(first: 20, filter: { teamId: $teamId }) {\n      nodes {\n        ...RunRow\n      }\n    }\n    team(id: $teamId) {\n      id\n      reason {\n        ...ReasonText\n      }\n      quota {\n        ...Quota\n      }\n    }\n    cluster {\n      reachable\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n": types.OverviewDocument,
    "\n  subscription OverviewInstances($teamId: ID!) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n": types.OverviewInstancesDocument,
    "\n  subscription OverviewRuns($teamId: ID!) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n": types.OverviewRunsDocument,
    "\n  mutation RunNow($input: RunNowInput!) {\n    runNow(input: $input) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n": types.RunNowDocument,
    "\n  query Settings {\n    settings {\n      ...SettingField\n    }\n    userLimits {\n      ...UserLimitLine\n    }\n  }\n": types.SettingsDocument,
    "\n  query ShareFiles($id: ID!) {\n    share(id: $id) {\n      ...ShareRow\n    }\n  }\n": types.ShareFilesDocument,
    "\n  query TeamEdit($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      ...TeamLife\n      overcommit {\n        cpu\n        memory\n        onlineCpu\n        onlineMemory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        items {\n          resource\n          unit\n          limit\n        }\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n    }\n  }\n": types.TeamEditDocument,
    "\n  mutation UpdateTeam($input: UpdateTeamInput!) {\n    updateTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": types.UpdateTeamDocument,
    "\n  mutation CreateTeam($input: CreateTeamInput!) {\n    createTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n": types.CreateTeamDocument,
    "\n  query Team($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      overcommit {\n        cpu\n        memory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        observedAt\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n      retention {\n        ...TeamRetention\n      }\n      ...TeamLife\n    }\n  }\n": types.TeamDocument,
    "\n  query Teams {\n    teams(first: 200) {\n      nodes {\n        ...TeamLine\n      }\n    }\n  }\n": types.TeamsDocument,
    "\n  query VolumeFiles($id: ID!) {\n    volume(id: $id) {\n      id\n      name\n      team {\n        id\n      }\n    }\n  }\n": types.VolumeFilesDocument,
    "\n  query Volume($id: ID!) {\n    volume(id: $id) {\n      ...VolumeRow\n    }\n  }\n": types.VolumeDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Identities {\n    identities {\n      id\n      provider\n      issuer\n      email\n      usedAt\n    }\n  }\n"): (typeof documents)["\n  query Identities {\n    identities {\n      id\n      provider\n      issuer\n      email\n      usedAt\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UnlinkIdentity($id: ID!) {\n    unlinkIdentity(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation UnlinkIdentity($id: ID!) {\n    unlinkIdentity(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Password {\n    password {\n      changedAt\n      currentNeeded\n      removable\n    }\n  }\n"): (typeof documents)["\n  query Password {\n    password {\n      changedAt\n      currentNeeded\n      removable\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetPassword($input: SetPasswordInput!) {\n    setPassword(input: $input) {\n      password {\n        changedAt\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetPassword($input: SetPasswordInput!) {\n    setPassword(input: $input) {\n      password {\n        changedAt\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RemovePassword($current: String!) {\n    removePassword(current: $current) {\n      password {\n        changedAt\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RemovePassword($current: String!) {\n    removePassword(current: $current) {\n      password {\n        changedAt\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SessionLine on Session {\n    id\n    createdAt\n    usedAt\n    address\n    agent\n    current\n  }\n"): (typeof documents)["\n  fragment SessionLine on Session {\n    id\n    createdAt\n    usedAt\n    address\n    agent\n    current\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EndSession($id: ID!) {\n    endSession(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation EndSession($id: ID!) {\n    endSession(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateAccessToken($input: CreateAccessTokenInput!) {\n    createAccessToken(input: $input) {\n      token\n    }\n  }\n"): (typeof documents)["\n  mutation CreateAccessToken($input: CreateAccessTokenInput!) {\n    createAccessToken(input: $input) {\n      token\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment AccessTokenLine on AccessToken {\n    id\n    name\n    scope\n    subjectId\n    createdAt\n    expiresAt\n    usedAt\n    address\n  }\n"): (typeof documents)["\n  fragment AccessTokenLine on AccessToken {\n    id\n    name\n    scope\n    subjectId\n    createdAt\n    expiresAt\n    usedAt\n    address\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeAccessToken($id: ID!) {\n    revokeAccessToken(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation RevokeAccessToken($id: ID!) {\n    revokeAccessToken(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment AuditLine on AuditEntry {\n    id\n    at\n    action\n    objectId\n    before\n    after\n    address\n    actor {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment AuditLine on AuditEntry {\n    id\n    at\n    action\n    objectId\n    before\n    after\n    address\n    actor {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditLog($first: Int, $after: String, $filter: AuditFilter) {\n    auditLog(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...AuditLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query AuditLog($first: Int, $after: String, $filter: AuditFilter) {\n    auditLog(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...AuditLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CarryNote on CarryNote {\n    code\n    what\n    text\n  }\n"): (typeof documents)["\n  fragment CarryNote on CarryNote {\n    code\n    what\n    text\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment EventItem on Event {\n    id\n    at\n    count\n    severity\n    source\n    type\n    message\n    actor {\n      id\n      displayName\n    }\n  }\n"): (typeof documents)["\n  fragment EventItem on Event {\n    id\n    at\n    count\n    severity\n    source\n    type\n    message\n    actor {\n      id\n      displayName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription EventAdded($subjectId: ID!) {\n    eventAdded(subjectId: $subjectId) {\n      ...EventItem\n    }\n  }\n"): (typeof documents)["\n  subscription EventAdded($subjectId: ID!) {\n    eventAdded(subjectId: $subjectId) {\n      ...EventItem\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewBackfill($input: BackfillInput!) {\n    previewBackfill(input: $input) {\n      count\n      existing\n      times {\n        ...FireTime\n      }\n    }\n  }\n"): (typeof documents)["\n  query PreviewBackfill($input: BackfillInput!) {\n    previewBackfill(input: $input) {\n      count\n      existing\n      times {\n        ...FireTime\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StartBackfill($input: BackfillInput!) {\n    startBackfill(input: $input) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StartBackfill($input: BackfillInput!) {\n    startBackfill(input: $input) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment BackfillItem on Backfill {\n    id\n    number\n    total\n    started\n    parallel\n    state\n    createdAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n  }\n"): (typeof documents)["\n  fragment BackfillItem on Backfill {\n    id\n    number\n    total\n    started\n    parallel\n    state\n    createdAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Backfills($flowId: ID!) {\n    backfills(flowId: $flowId) {\n      ...BackfillItem\n    }\n  }\n"): (typeof documents)["\n  query Backfills($flowId: ID!) {\n    backfills(flowId: $flowId) {\n      ...BackfillItem\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CancelBackfill($id: ID!, $stopRuns: Boolean!) {\n    cancelBackfill(id: $id, stopRuns: $stopRuns) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CancelBackfill($id: ID!, $stopRuns: Boolean!) {\n    cancelBackfill(id: $id, stopRuns: $stopRuns) {\n      backfill {\n        ...BackfillItem\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowFires($id: ID!, $first: Int!) {\n    flowFires(id: $id, first: $first) {\n      ...FireTime\n    }\n  }\n"): (typeof documents)["\n  query FlowFires($id: ID!, $first: Int!) {\n    flowFires(id: $id, first: $first) {\n      ...FireTime\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowChangeItem on FlowChange {\n    task\n    path\n    kind\n    before\n    after\n  }\n"): (typeof documents)["\n  fragment FlowChangeItem on FlowChange {\n    task\n    path\n    kind\n    before\n    after\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowChoices($teamId: ID!) {\n    flows(first: 100, filter: { teamId: $teamId }) {\n      nodes {\n        id\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowChoices($teamId: ID!) {\n    flows(first: 100, filter: { teamId: $teamId }) {\n      nodes {\n        id\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowEditForm($id: ID!) {\n    flow(id: $id) {\n      id\n      name\n      latest\n      team {\n        id\n      }\n      version {\n        id\n        number\n        spec\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowEditForm($id: ID!) {\n    flow(id: $id) {\n      id\n      name\n      latest\n      team {\n        id\n      }\n      version {\n        id\n        number\n        spec\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SaveFlow($input: SaveFlowInput!) {\n    saveFlow(input: $input) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SaveFlow($input: SaveFlowInput!) {\n    saveFlow(input: $input) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowLatest($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n    }\n  }\n"): (typeof documents)["\n  query FlowLatest($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowDraft($instanceId: ID, $runId: ID) {\n    flowDraft(instanceId: $instanceId, runId: $runId) {\n      teamId\n      name\n      spec\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowDraft($instanceId: ID, $runId: ID) {\n    flowDraft(instanceId: $instanceId, runId: $runId) {\n      teamId\n      name\n      spec\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n    }\n  }\n"): (typeof documents)["\n  query SlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CheckFlow($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      spec\n      yaml\n      fires {\n        ...FireTime\n      }\n    }\n  }\n"): (typeof documents)["\n  query CheckFlow($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      spec\n      yaml\n      fires {\n        ...FireTime\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FireTime on FlowFire {\n    at\n    local\n    note\n  }\n"): (typeof documents)["\n  fragment FireTime on FlowFire {\n    at\n    local\n    note\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Flows($first: Int, $after: String, $filter: FlowFilter) {\n    flows(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query Flows($first: Int, $after: String, $filter: FlowFilter) {\n    flows(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlowsChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n    }\n  }\n"): (typeof documents)["\n  subscription FlowsChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlowsRunsChanged($teamId: ID) {\n    flowRunsChanged(teamId: $teamId) {\n      ...FlowSpark\n      flow {\n        id\n        nextFireAt\n        lastRuns(last: 10) {\n          ...FlowSpark\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription FlowsRunsChanged($teamId: ID) {\n    flowRunsChanged(teamId: $teamId) {\n      ...FlowSpark\n      flow {\n        id\n        nextFireAt\n        lastRuns(last: 10) {\n          ...FlowSpark\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ExportFlow($id: ID!) {\n    flow(id: $id) {\n      id\n      version {\n        id\n        yaml\n      }\n    }\n  }\n"): (typeof documents)["\n  query ExportFlow($id: ID!) {\n    flow(id: $id) {\n      id\n      version {\n        id\n        yaml\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RenameFlow($id: ID!, $name: String!) {\n    renameFlow(id: $id, name: $name) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RenameFlow($id: ID!, $name: String!) {\n    renameFlow(id: $id, name: $name) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TransferFlow($id: ID!, $userId: ID!) {\n    transferFlow(id: $id, userId: $userId) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation TransferFlow($id: ID!, $userId: ID!) {\n    transferFlow(id: $id, userId: $userId) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteFlow($id: ID!, $name: String!) {\n    deleteFlow(id: $id, name: $name) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteFlow($id: ID!, $name: String!) {\n    deleteFlow(id: $id, name: $name) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowMembers($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowMembers($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowRow on Flow {\n    id\n    name\n    description\n    tags\n    paused\n    pausedWhy {\n      ...ReasonText\n    }\n    nextFireAt\n    overdue {\n      ...ReasonText\n    }\n    owner {\n      id\n      displayName\n    }\n    schedule {\n      kind\n      text\n      timezone\n    }\n    lastRuns(last: 10) {\n      ...FlowSpark\n    }\n    can {\n      edit\n      run\n      pause\n      delete\n    }\n  }\n"): (typeof documents)["\n  fragment FlowRow on Flow {\n    id\n    name\n    description\n    tags\n    paused\n    pausedWhy {\n      ...ReasonText\n    }\n    nextFireAt\n    overdue {\n      ...ReasonText\n    }\n    owner {\n      id\n      displayName\n    }\n    schedule {\n      kind\n      text\n      timezone\n    }\n    lastRuns(last: 10) {\n      ...FlowSpark\n    }\n    can {\n      edit\n      run\n      pause\n      delete\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Flow($id: ID!) {\n    flow(id: $id) {\n      ...FlowRow\n      ...FlowHead\n      grid: lastRuns(last: 30) {\n        ...FlowGridRun\n      }\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Flow($id: ID!) {\n    flow(id: $id) {\n      ...FlowRow\n      ...FlowHead\n      grid: lastRuns(last: 30) {\n        ...FlowGridRun\n      }\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlowChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n      ...FlowHead\n    }\n  }\n"): (typeof documents)["\n  subscription FlowChanged($teamId: ID) {\n    flowsChanged(teamId: $teamId) {\n      ...FlowRow\n      ...FlowHead\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlowGridChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowGridRun\n      flow {\n        id\n        nextFireAt\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription FlowGridChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowGridRun\n      flow {\n        id\n        nextFireAt\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowHead on Flow {\n    id\n    latest\n    createdAt\n    updatedAt\n    team {\n      id\n      name\n    }\n    version {\n      id\n      number\n      spec\n      comment\n      createdAt\n      author {\n        id\n        displayName\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment FlowHead on Flow {\n    id\n    latest\n    createdAt\n    updatedAt\n    team {\n      id\n      name\n    }\n    version {\n      id\n      number\n      spec\n      comment\n      createdAt\n      author {\n        id\n        displayName\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowGridRun on FlowRun {\n    id\n    version\n    localTime\n    state\n    steps {\n      id\n      name\n      state\n    }\n  }\n"): (typeof documents)["\n  fragment FlowGridRun on FlowRun {\n    id\n    version\n    localTime\n    state\n    steps {\n      id\n      name\n      state\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CheckImport($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      fires {\n        ...FireTime\n      }\n    }\n  }\n"): (typeof documents)["\n  query CheckImport($input: CheckFlowInput!) {\n    checkFlow(input: $input) {\n      problems {\n        ...FlowProblemItem\n      }\n      fires {\n        ...FireTime\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ImportFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ImportFlow($input: CreateFlowInput!) {\n    createFlow(input: $input) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PauseFlow($id: ID!) {\n    pauseFlow(id: $id) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation PauseFlow($id: ID!) {\n    pauseFlow(id: $id) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UnpauseFlow($id: ID!, $catchUp: Int!) {\n    unpauseFlow(id: $id, catchUp: $catchUp) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UnpauseFlow($id: ID!, $catchUp: Int!) {\n    unpauseFlow(id: $id, catchUp: $catchUp) {\n      flow {\n        ...FlowRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewUnpause($id: ID!) {\n    previewUnpause(id: $id) {\n      missed\n      times {\n        ...FireTime\n      }\n      next {\n        ...FireTime\n      }\n    }\n  }\n"): (typeof documents)["\n  query PreviewUnpause($id: ID!) {\n    previewUnpause(id: $id) {\n      missed\n      times {\n        ...FireTime\n      }\n      next {\n        ...FireTime\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowProblemItem on FlowProblem {\n    path\n    line\n    column\n    text\n  }\n"): (typeof documents)["\n  fragment FlowProblemItem on FlowProblem {\n    path\n    line\n    column\n    text\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RunFlow($input: RunFlowInput!) {\n    runFlow(input: $input) {\n      flowRun {\n        ...FlowRunRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RunFlow($input: RunFlowInput!) {\n    runFlow(input: $input) {\n      flowRun {\n        ...FlowRunRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowSpark on FlowRun {\n    id\n    state\n    localTime\n  }\n"): (typeof documents)["\n  fragment FlowSpark on FlowRun {\n    id\n    state\n    localTime\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowVersions($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n      versions(first: 200) {\n        id\n        number\n        comment\n        createdAt\n        restores\n        code {\n          id\n          subPath\n          state\n          files\n          bytes\n          sha256\n          frozenAt\n          reason {\n            text\n            advice\n          }\n        }\n        author {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowVersions($id: ID!) {\n    flow(id: $id) {\n      id\n      latest\n      versions(first: 200) {\n        id\n        number\n        comment\n        createdAt\n        restores\n        code {\n          id\n          subPath\n          state\n          files\n          bytes\n          sha256\n          frozenAt\n          reason {\n            text\n            advice\n          }\n        }\n        author {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowVersionChanges($id: ID!, $number: Int!, $from: Int) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowVersionChanges($id: ID!, $number: Int!, $from: Int) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestoreFlowVersion($id: ID!, $number: Int!, $comment: String!) {\n    restoreFlowVersion(id: $id, number: $number, comment: $comment) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RestoreFlowVersion($id: ID!, $number: Int!, $comment: String!) {\n    restoreFlowVersion(id: $id, number: $number, comment: $comment) {\n      flow {\n        ...FlowRow\n        ...FlowHead\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StopFlowRun($id: ID!) {\n    stopFlowRun(id: $id) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StopFlowRun($id: ID!) {\n    stopFlowRun(id: $id) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RerunFlowRun($input: RerunFlowRunInput!) {\n    rerunFlowRun(input: $input) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RerunFlowRun($input: RerunFlowRunInput!) {\n    rerunFlowRun(input: $input) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MarkStep($flowRunId: ID!, $step: String!, $as: StepMark!) {\n    markStep(flowRunId: $flowRunId, step: $step, as: $as) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation MarkStep($flowRunId: ID!, $step: String!, $as: StepMark!) {\n    markStep(flowRunId: $flowRunId, step: $step, as: $as) {\n      flowRun {\n        ...FlowRunRow\n        ...FlowRunHead\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ComparedRun on FlowRun {\n    id\n    number\n    state\n    cause\n    localTime\n    lateness\n    startedAt\n    endedAt\n    parameters\n    reason {\n      ...ReasonText\n    }\n    flow {\n      id\n      name\n    }\n    steps {\n      id\n      name\n      state\n      startedAt\n      endedAt\n    }\n  }\n"): (typeof documents)["\n  fragment ComparedRun on FlowRun {\n    id\n    number\n    state\n    cause\n    localTime\n    lateness\n    startedAt\n    endedAt\n    parameters\n    reason {\n      ...ReasonText\n    }\n    flow {\n      id\n      name\n    }\n    steps {\n      id\n      name\n      state\n      startedAt\n      endedAt\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CompareFlowRuns($left: ID!, $right: ID!) {\n    left: flowRun(id: $left) {\n      ...ComparedRun\n    }\n    right: flowRun(id: $right) {\n      ...ComparedRun\n    }\n  }\n"): (typeof documents)["\n  query CompareFlowRuns($left: ID!, $right: ID!) {\n    left: flowRun(id: $left) {\n      ...ComparedRun\n    }\n    right: flowRun(id: $right) {\n      ...ComparedRun\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ComparedVersions($id: ID!, $number: Int!, $from: Int!) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query ComparedVersions($id: ID!, $number: Int!, $from: Int!) {\n    flow(id: $id) {\n      id\n      version(number: $number) {\n        id\n        changes(from: $from) {\n          ...FlowChangeItem\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteFlowRun($id: ID!) {\n    deleteFlowRun(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteFlowRun($id: ID!) {\n    deleteFlowRun(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowRuns($first: Int, $after: String, $filter: FlowRunFilter) {\n    flowRuns(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowRuns($first: Int, $after: String, $filter: FlowRunFilter) {\n    flowRuns(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...FlowRunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlowRunsChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowRunRow\n    }\n  }\n"): (typeof documents)["\n  subscription FlowRunsChanged($flowId: ID) {\n    flowRunsChanged(flowId: $flowId) {\n      ...FlowRunRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowRunRow on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    steps {\n      id\n      name\n      state\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n"): (typeof documents)["\n  fragment FlowRunRow on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    actor {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    steps {\n      id\n      name\n      state\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowRun($id: ID!) {\n    flowRun(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n      spec\n      parameters\n      owner {\n        id\n        displayName\n      }\n      flow {\n        id\n        name\n        lastRuns(last: 30) {\n          id\n          localTime\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowRun($id: ID!) {\n    flowRun(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n      spec\n      parameters\n      owner {\n        id\n        displayName\n      }\n      flow {\n        id\n        name\n        lastRuns(last: 30) {\n          id\n          localTime\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlowRunChanged($id: ID!) {\n    flowRunChanged(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n    }\n  }\n"): (typeof documents)["\n  subscription FlowRunChanged($id: ID!) {\n    flowRunChanged(id: $id) {\n      ...FlowRunRow\n      ...FlowRunHead\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment FlowRunHead on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    timezone\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    backfillId\n    reason {\n      ...ReasonText\n    }\n    actor {\n      id\n      displayName\n    }\n    stoppedBy {\n      id\n      displayName\n    }\n    steps {\n      id\n      name\n      state\n      round\n      startedAt\n      endedAt\n      readyAt\n      nextPollAt\n      polls\n      reason {\n        ...ReasonText\n      }\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n"): (typeof documents)["\n  fragment FlowRunHead on FlowRun {\n    id\n    version\n    number\n    state\n    cause\n    logicalTime\n    localTime\n    timezone\n    lateness\n    createdAt\n    startedAt\n    endedAt\n    backfillId\n    reason {\n      ...ReasonText\n    }\n    actor {\n      id\n      displayName\n    }\n    stoppedBy {\n      id\n      displayName\n    }\n    steps {\n      id\n      name\n      state\n      round\n      startedAt\n      endedAt\n      readyAt\n      nextPollAt\n      polls\n      reason {\n        ...ReasonText\n      }\n    }\n    can {\n      stop\n      rerun\n      delete\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowRunHistory($id: ID!) {\n    flowRun(id: $id) {\n      id\n      transitions {\n        id\n        step\n        round\n        was\n        becomes\n        text\n        at\n        actor {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowRunHistory($id: ID!) {\n    flowRun(id: $id) {\n      id\n      transitions {\n        id\n        step\n        round\n        was\n        becomes\n        text\n        at\n        actor {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment StepDetail on Step {\n    id\n    outputs\n    with\n    runs {\n      id\n      name\n      state\n      can {\n        rerun\n      }\n      attempts {\n        id\n        number\n        state\n        exitCode\n        log {\n          lines\n          complete\n          truncated\n          removedAt\n          keptDays\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment StepDetail on Step {\n    id\n    outputs\n    with\n    runs {\n      id\n      name\n      state\n      can {\n        rerun\n      }\n      attempts {\n        id\n        number\n        state\n        exitCode\n        log {\n          lines\n          complete\n          truncated\n          removedAt\n          keptDays\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlowRunStep($id: ID!) {\n    node(id: $id) {\n      kind: __typename\n      ... on Step {\n        ...StepDetail\n      }\n    }\n  }\n"): (typeof documents)["\n  query FlowRunStep($id: ID!) {\n    node(id: $id) {\n      kind: __typename\n      ... on Step {\n        ...StepDetail\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignOut {\n    signOut {\n      ok\n      providerUrl\n    }\n  }\n"): (typeof documents)["\n  mutation SignOut {\n    signOut {\n      ok\n      providerUrl\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Palette($teamId: ID!, $search: String!) {\n    instances(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n    runs(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n  }\n"): (typeof documents)["\n  query Palette($teamId: ID!, $search: String!) {\n    instances(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n    runs(first: 6, filter: { teamId: $teamId, search: $search }) {\n      nodes {\n        id\n        name\n        state\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ImageCard on Image {\n    id\n    name\n    reference\n    description\n    framework\n    version\n    gpu\n    development\n    apps\n    recommended\n    deprecated\n    sizeBytes\n    reason {\n      ...ReasonText\n    }\n    team {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment ImageCard on Image {\n    id\n    name\n    reference\n    description\n    framework\n    version\n    gpu\n    development\n    apps\n    recommended\n    deprecated\n    sizeBytes\n    reason {\n      ...ReasonText\n    }\n    team {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ImageChoice on Image {\n    id\n    name\n    reference\n    framework\n    version\n    gpu\n    development\n    recommended\n    deprecated\n    reason {\n      ...ReasonText\n    }\n  }\n"): (typeof documents)["\n  fragment ImageChoice on Image {\n    id\n    name\n    reference\n    framework\n    version\n    gpu\n    development\n    recommended\n    deprecated\n    reason {\n      ...ReasonText\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ImageChoices($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageChoice\n      }\n    }\n  }\n"): (typeof documents)["\n  query ImageChoices($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageChoice\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StartInstance($id: ID!, $wait: Boolean! = false) {\n    startInstance(id: $id, wait: $wait) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StartInstance($id: ID!, $wait: Boolean! = false) {\n    startInstance(id: $id, wait: $wait) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StopInstance($id: ID!) {\n    stopInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StopInstance($id: ID!) {\n    stopInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestartInstance($id: ID!) {\n    restartInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RestartInstance($id: ID!) {\n    restartInstance(id: $id) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OpenInstanceApp($id: ID!, $app: String!) {\n    openInstanceApp(id: $id, app: $app) {\n      url\n    }\n  }\n"): (typeof documents)["\n  mutation OpenInstanceApp($id: ID!, $app: String!) {\n    openInstanceApp(id: $id, app: $app) {\n      url\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query InstanceAppLog($id: ID!, $app: String!) {\n    instanceAppLog(id: $id, app: $app) {\n      lines {\n        at\n        text\n      }\n    }\n  }\n"): (typeof documents)["\n  query InstanceAppLog($id: ID!, $app: String!) {\n    instanceAppLog(id: $id, app: $app) {\n      lines {\n        at\n        text\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceCommand on Instance {\n    id\n    env {\n      name\n      value\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceCommand on Instance {\n    id\n    env {\n      name\n      value\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceConnect on Instance {\n    id\n    state\n    starts\n    apps {\n      name\n      port\n      state\n      reason {\n        ...ReasonText\n      }\n    }\n    ssh {\n      command\n      config\n      hostKeyFingerprint\n    }\n    can {\n      connect\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceConnect on Instance {\n    id\n    state\n    starts\n    apps {\n      name\n      port\n      state\n      reason {\n        ...ReasonText\n      }\n    }\n    ssh {\n      command\n      config\n      hostKeyFingerprint\n    }\n    can {\n      connect\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteInstance($id: ID!) {\n    deleteInstance(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteInstance($id: ID!) {\n    deleteInstance(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceEdit on Instance {\n    id\n    name\n    version\n    team {\n      id\n    }\n    image {\n      id\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      secretId\n      as\n      at\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceEdit on Instance {\n    id\n    name\n    version\n    team {\n      id\n    }\n    image {\n      id\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      secretId\n      as\n      at\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query InstanceEditForm($id: ID!) {\n    instance(id: $id) {\n      ...InstanceEdit\n    }\n  }\n"): (typeof documents)["\n  query InstanceEditForm($id: ID!) {\n    instance(id: $id) {\n      ...InstanceEdit\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateInstance($input: UpdateInstanceInput!) {\n    updateInstance(input: $input) {\n      instance {\n        ...InstanceEdit\n        ...InstanceHead\n        ...InstanceStory\n        ...InstanceFacts\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateInstance($input: UpdateInstanceInput!) {\n    updateInstance(input: $input) {\n      instance {\n        ...InstanceEdit\n        ...InstanceHead\n        ...InstanceStory\n        ...InstanceFacts\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceFacts on Instance {\n    id\n    node\n    objectName\n    starts\n    createdAt\n    startedAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    image {\n      id\n      name\n      reference\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      ...SecretUseItem\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceFacts on Instance {\n    id\n    node\n    objectName\n    starts\n    createdAt\n    startedAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    image {\n      id\n      name\n      reference\n    }\n    resources {\n      ...ResourcesText\n    }\n    mounts {\n      ...MountItem\n    }\n    ports {\n      name\n      number\n    }\n    env {\n      name\n      value\n    }\n    secrets {\n      ...SecretUseItem\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Instances($first: Int, $after: String, $filter: InstanceFilter) {\n    instances(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...InstanceRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query Instances($first: Int, $after: String, $filter: InstanceFilter) {\n    instances(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...InstanceRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription InstancesChanged($teamId: ID) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n"): (typeof documents)["\n  subscription InstancesChanged($teamId: ID) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MoveInstance($id: ID!, $acceptRisk: Boolean!) {\n    moveInstance(id: $id, acceptRisk: $acceptRisk) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation MoveInstance($id: ID!, $acceptRisk: Boolean!) {\n    moveInstance(id: $id, acceptRisk: $acceptRisk) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query InstancePreset($runId: ID!) {\n    instancePreset(runId: $runId) {\n      teamId\n      name\n      imageId\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        volumeId\n        path\n        readOnly\n        subPath\n      }\n      env {\n        name\n        value\n      }\n      secrets {\n        secretId\n        as\n        at\n      }\n      command\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n"): (typeof documents)["\n  query InstancePreset($runId: ID!) {\n    instancePreset(runId: $runId) {\n      teamId\n      name\n      imageId\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        volumeId\n        path\n        readOnly\n        subPath\n      }\n      env {\n        name\n        value\n      }\n      secrets {\n        secretId\n        as\n        at\n      }\n      command\n      notes {\n        ...CarryNote\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceRow on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    readyAt\n    owner {\n      id\n      displayName\n    }\n    image {\n      id\n      name\n    }\n    resources {\n      ...ResourcesText\n    }\n    reason {\n      ...ReasonText\n    }\n    apps {\n      name\n      state\n    }\n    can {\n      start\n      stop\n      connect\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceRow on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    readyAt\n    owner {\n      id\n      displayName\n    }\n    image {\n      id\n      name\n    }\n    resources {\n      ...ResourcesText\n    }\n    reason {\n      ...ReasonText\n    }\n    apps {\n      name\n      state\n    }\n    can {\n      start\n      stop\n      connect\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevealInstanceSecret($id: ID!) {\n    revealInstanceSecret(id: $id) {\n      password\n      rootPassword\n    }\n  }\n"): (typeof documents)["\n  mutation RevealInstanceSecret($id: ID!) {\n    revealInstanceSecret(id: $id) {\n      password\n      rootPassword\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceStory on Instance {\n    id\n    state\n    restartToApply\n    reason {\n      ...ReasonText\n    }\n    timeline {\n      ...PhaseItem\n    }\n    can {\n      start\n      restart\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceStory on Instance {\n    id\n    state\n    restartToApply\n    reason {\n      ...ReasonText\n    }\n    timeline {\n      ...PhaseItem\n    }\n    can {\n      start\n      restart\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InstanceHead on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    readyAt\n    updatedAt\n    apps {\n      name\n      state\n    }\n    mounts {\n      ...MountItem\n    }\n    can {\n      start\n      stop\n      restart\n      move\n      edit\n      delete\n      connect\n    }\n  }\n"): (typeof documents)["\n  fragment InstanceHead on Instance {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    readyAt\n    updatedAt\n    apps {\n      name\n      state\n    }\n    mounts {\n      ...MountItem\n    }\n    can {\n      start\n      stop\n      restart\n      move\n      edit\n      delete\n      connect\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Instance($id: ID!) {\n    instance(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Instance($id: ID!) {\n    instance(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription InstanceChanged($id: ID!) {\n    instanceChanged(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n    }\n  }\n"): (typeof documents)["\n  subscription InstanceChanged($id: ID!) {\n    instanceChanged(id: $id) {\n      ...InstanceRow\n      ...InstanceHead\n      ...InstanceStory\n      ...InstanceConnect\n      ...InstanceCommand\n      ...InstanceFacts\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment LogWindow on LogWindow {\n    lines {\n      number\n      time\n      source\n      text\n      partial\n      code\n    }\n    cursor\n    complete\n  }\n"): (typeof documents)["\n  fragment LogWindow on LogWindow {\n    lines {\n      number\n      time\n      source\n      text\n      partial\n      code\n    }\n    cursor\n    complete\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Log($attemptId: ID!, $after: String, $fromLine: Int64, $last: Int, $limit: Int) {\n    log(attemptId: $attemptId, after: $after, fromLine: $fromLine, last: $last, limit: $limit) {\n      ...LogWindow\n    }\n  }\n"): (typeof documents)["\n  query Log($attemptId: ID!, $after: String, $fromLine: Int64, $last: Int, $limit: Int) {\n    log(attemptId: $attemptId, after: $after, fromLine: $fromLine, last: $last, limit: $limit) {\n      ...LogWindow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SearchLog($attemptId: ID!, $text: String!, $regexp: Boolean!, $fromLine: Int64!, $limit: Int!) {\n    searchLog(attemptId: $attemptId, text: $text, regexp: $regexp, fromLine: $fromLine, limit: $limit) {\n      lines {\n        number\n      }\n      next\n      end\n    }\n  }\n"): (typeof documents)["\n  query SearchLog($attemptId: ID!, $text: String!, $regexp: Boolean!, $fromLine: Int64!, $limit: Int!) {\n    searchLog(attemptId: $attemptId, text: $text, regexp: $regexp, fromLine: $fromLine, limit: $limit) {\n      lines {\n        number\n      }\n      next\n      end\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription LogAppended($attemptId: ID!, $after: String) {\n    logAppended(attemptId: $attemptId, after: $after) {\n      ...LogWindow\n    }\n  }\n"): (typeof documents)["\n  subscription LogAppended($attemptId: ID!, $after: String) {\n    logAppended(attemptId: $attemptId, after: $after) {\n      ...LogWindow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment MountItem on Mount {\n    volumeId\n    path\n    readOnly\n    subPath\n    volume {\n      id\n      name\n      kind\n    }\n    share {\n      id\n      volumeName\n      ownerName\n    }\n  }\n"): (typeof documents)["\n  fragment MountItem on Mount {\n    volumeId\n    path\n    readOnly\n    subPath\n    volume {\n      id\n      name\n      kind\n    }\n    share {\n      id\n      volumeName\n      ownerName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Estate on Estate {\n    teamId\n    teamName\n    role\n    tasks\n    flows\n    instances {\n      id\n      name\n      running\n    }\n    runs {\n      id\n      name\n    }\n    volumes {\n      id\n      name\n      kind\n      sizeBytes\n      inTrash\n    }\n    invitations {\n      id\n      email\n    }\n    heirs {\n      id\n      displayName\n    }\n    heir {\n      id\n      displayName\n    }\n  }\n"): (typeof documents)["\n  fragment Estate on Estate {\n    teamId\n    teamName\n    role\n    tasks\n    flows\n    instances {\n      id\n      name\n      running\n    }\n    runs {\n      id\n      name\n    }\n    volumes {\n      id\n      name\n      kind\n      sizeBytes\n      inTrash\n    }\n    invitations {\n      id\n      email\n    }\n    heirs {\n      id\n      displayName\n    }\n    heir {\n      id\n      displayName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment PersonLine on Person {\n    state\n    lastSeenAt\n    waysIn\n    sessions\n    accessTokens\n    user {\n      id\n      email\n      displayName\n      platformRole\n    }\n    memberships {\n      role\n      team {\n        id\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment PersonLine on Person {\n    state\n    lastSeenAt\n    waysIn\n    sessions\n    accessTokens\n    user {\n      id\n      email\n      displayName\n      platformRole\n    }\n    memberships {\n      role\n      team {\n        id\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query People($first: Int, $after: String, $filter: PersonFilter) {\n    people(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...PersonLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query People($first: Int, $after: String, $filter: PersonFilter) {\n    people(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...PersonLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateUser($input: CreateUserInput!) {\n    createUser(input: $input) {\n      signInUrl\n      user {\n        id\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateUser($input: CreateUserInput!) {\n    createUser(input: $input) {\n      signInUrl\n      user {\n        id\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetPlatformRole($input: SetPlatformRoleInput!) {\n    setPlatformRole(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetPlatformRole($input: SetPlatformRoleInput!) {\n    setPlatformRole(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DisableUser($id: ID!) {\n    disableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DisableUser($id: ID!) {\n    disableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EnableUser($id: ID!) {\n    enableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation EnableUser($id: ID!) {\n    enableUser(id: $id) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignOutUser($input: SignOutUserInput!) {\n    signOutUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SignOutUser($input: SignOutUserInput!) {\n    signOutUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateSignInLink($userId: ID!) {\n    createSignInLink(userId: $userId) {\n      url\n      expiresAt\n    }\n  }\n"): (typeof documents)["\n  mutation CreateSignInLink($userId: ID!) {\n    createSignInLink(userId: $userId) {\n      url\n      expiresAt\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment PlatformVolumeRow on PlatformVolume {\n    id\n    name\n    description\n    path\n    readOnly\n    enabled\n    phase\n    reason {\n      ...ReasonText\n    }\n    source {\n      namespace\n      claim\n      made\n      sizeBytes\n      storageClass\n    }\n    readyTeams\n    teams\n    createdAt\n  }\n"): (typeof documents)["\n  fragment PlatformVolumeRow on PlatformVolume {\n    id\n    name\n    description\n    path\n    readOnly\n    enabled\n    phase\n    reason {\n      ...ReasonText\n    }\n    source {\n      namespace\n      claim\n      made\n      sizeBytes\n      storageClass\n    }\n    readyTeams\n    teams\n    createdAt\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreatePlatformVolume($input: CreatePlatformVolumeInput!) {\n    createPlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreatePlatformVolume($input: CreatePlatformVolumeInput!) {\n    createPlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdatePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdatePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeletePlatformVolume($id: ID!, $confirmName: String!) {\n    deletePlatformVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeletePlatformVolume($id: ID!, $confirmName: String!) {\n    deletePlatformVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PlatformVolumes {\n    platformVolumes {\n      ...PlatformVolumeRow\n    }\n  }\n"): (typeof documents)["\n  query PlatformVolumes {\n    platformVolumes {\n      ...PlatformVolumeRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EnablePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation EnablePlatformVolume($input: UpdatePlatformVolumeInput!) {\n    updatePlatformVolume(input: $input) {\n      platformVolume {\n        ...PlatformVolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment PhaseItem on Phase {\n    name\n    since\n    seconds\n  }\n"): (typeof documents)["\n  fragment PhaseItem on Phase {\n    name\n    since\n    seconds\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ReasonText on Reason {\n    code\n    text\n    advice\n    args\n  }\n"): (typeof documents)["\n  fragment ReasonText on Reason {\n    code\n    text\n    advice\n    args\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Fit($teamId: ID!, $resources: ResourcesInput!, $class: TaskClass!) {\n    fit(teamId: $teamId, resources: $resources, class: $class) {\n      nodes\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n"): (typeof documents)["\n  query Fit($teamId: ID!, $resources: ResourcesInput!, $class: TaskClass!) {\n    fit(teamId: $teamId, resources: $resources, class: $class) {\n      nodes\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Profiles {\n    profiles {\n      name\n      cpu\n      memory\n      gpu\n    }\n  }\n"): (typeof documents)["\n  query Profiles {\n    profiles {\n      name\n      cpu\n      memory\n      gpu\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ResourcesText on Resources {\n    cpuMilli\n    memoryBytes\n    gpu\n  }\n"): (typeof documents)["\n  fragment ResourcesText on Resources {\n    cpuMilli\n    memoryBytes\n    gpu\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StopRun($id: ID!) {\n    stopRun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation StopRun($id: ID!) {\n    stopRun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Rerun($id: ID!) {\n    rerun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Rerun($id: ID!) {\n    rerun(id: $id) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteRun($id: ID!) {\n    deleteRun(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteRun($id: ID!) {\n    deleteRun(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RunFacts on Run {\n    id\n    createdAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    task {\n      id\n      command\n      args\n      workingDir\n      class\n      retries\n      timeoutSeconds\n      env {\n        name\n        value\n      }\n      secrets {\n        ...SecretUseItem\n      }\n      image {\n        id\n        name\n        reference\n      }\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        ...MountItem\n      }\n      code {\n        volumeId\n        subPath\n        writable\n        volume {\n          id\n          name\n        }\n      }\n      frozen {\n        snapshotId\n        files\n        bytes\n        sha256\n        frozenAt\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment RunFacts on Run {\n    id\n    createdAt\n    owner {\n      id\n      displayName\n    }\n    team {\n      id\n      name\n      namespace\n    }\n    task {\n      id\n      command\n      args\n      workingDir\n      class\n      retries\n      timeoutSeconds\n      env {\n        name\n        value\n      }\n      secrets {\n        ...SecretUseItem\n      }\n      image {\n        id\n        name\n        reference\n      }\n      resources {\n        ...ResourcesText\n      }\n      mounts {\n        ...MountItem\n      }\n      code {\n        volumeId\n        subPath\n        writable\n        volume {\n          id\n          name\n        }\n      }\n      frozen {\n        snapshotId\n        files\n        bytes\n        sha256\n        frozenAt\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Runs($first: Int, $after: String, $filter: RunFilter) {\n    runs(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...RunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query Runs($first: Int, $after: String, $filter: RunFilter) {\n    runs(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...RunRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription RunsChanged($teamId: ID) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n"): (typeof documents)["\n  subscription RunsChanged($teamId: ID) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RunRow on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    task {\n      id\n      command\n      args\n      resources {\n        ...ResourcesText\n      }\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n"): (typeof documents)["\n  fragment RunRow on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    task {\n      id\n      command\n      args\n      resources {\n        ...ResourcesText\n      }\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment RunHead on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    reason {\n      ...ReasonText\n    }\n    step\n    stoppedBy {\n      id\n      displayName\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n      imageDigest\n      node\n      job\n      createdAt\n      startedAt\n      endedAt\n      reason {\n        ...ReasonText\n      }\n      timeline {\n        ...PhaseItem\n      }\n      log {\n        lines\n        complete\n        truncated\n        removedAt\n        keptDays\n      }\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n"): (typeof documents)["\n  fragment RunHead on Run {\n    id\n    name\n    state\n    version\n    createdAt\n    startedAt\n    endedAt\n    reason {\n      ...ReasonText\n    }\n    step\n    stoppedBy {\n      id\n      displayName\n    }\n    attempts {\n      id\n      number\n      state\n      exitCode\n      imageDigest\n      node\n      job\n      createdAt\n      startedAt\n      endedAt\n      reason {\n        ...ReasonText\n      }\n      timeline {\n        ...PhaseItem\n      }\n      log {\n        lines\n        complete\n        truncated\n        removedAt\n        keptDays\n      }\n    }\n    can {\n      stop\n      rerun\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Run($id: ID!) {\n    run(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Run($id: ID!) {\n    run(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n      events(first: 50) {\n        nodes {\n          ...EventItem\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription RunChanged($id: ID!) {\n    runChanged(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n    }\n  }\n"): (typeof documents)["\n  subscription RunChanged($id: ID!) {\n    runChanged(id: $id) {\n      ...RunRow\n      ...RunHead\n      ...RunFacts\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SecretChoices {\n    secrets {\n      id\n      name\n      kind\n      team {\n        id\n      }\n      keys {\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  query SecretChoices {\n    secrets {\n      id\n      name\n      kind\n      team {\n        id\n      }\n      keys {\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteSecret($id: ID!, $inUse: Boolean!) {\n    deleteSecret(id: $id, inUse: $inUse) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteSecret($id: ID!, $inUse: Boolean!) {\n    deleteSecret(id: $id, inUse: $inUse) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateSecret($input: CreateSecretInput!) {\n    createSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateSecret($input: CreateSecretInput!) {\n    createSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ReplaceSecret($input: ReplaceSecretInput!) {\n    replaceSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ReplaceSecret($input: ReplaceSecretInput!) {\n    replaceSecret(input: $input) {\n      secret {\n        ...SecretRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SecretRow on Secret {\n    id\n    name\n    kind\n    team {\n      id\n      name\n    }\n    keys {\n      name\n      principals\n    }\n    fingerprint\n    teamWide\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n    usedBy {\n      id\n      name\n    }\n    can {\n      manage\n    }\n  }\n"): (typeof documents)["\n  fragment SecretRow on Secret {\n    id\n    name\n    kind\n    team {\n      id\n      name\n    }\n    keys {\n      name\n      principals\n    }\n    fingerprint\n    teamWide\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n    usedBy {\n      id\n      name\n    }\n    can {\n      manage\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Secrets {\n    secrets {\n      ...SecretRow\n    }\n  }\n"): (typeof documents)["\n  query Secrets {\n    secrets {\n      ...SecretRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SecretUseItem on SecretUse {\n    secretId\n    as\n    at\n    secret {\n      id\n      name\n      kind\n    }\n  }\n"): (typeof documents)["\n  fragment SecretUseItem on SecretUse {\n    secretId\n    as\n    at\n    secret {\n      id\n      name\n      kind\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeviceRequest($userCode: String!) {\n    deviceRequest(userCode: $userCode) {\n      id\n      name\n      address\n      scope\n      createdAt\n    }\n  }\n"): (typeof documents)["\n  query DeviceRequest($userCode: String!) {\n    deviceRequest(userCode: $userCode) {\n      id\n      name\n      address\n      scope\n      createdAt\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ApproveDevice($input: ApproveDeviceInput!) {\n    approveDevice(input: $input) {\n      ok\n    }\n  }\n"): (typeof documents)["\n  mutation ApproveDevice($input: ApproveDeviceInput!) {\n    approveDevice(input: $input) {\n      ok\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DenyDevice($userCode: String!) {\n    denyDevice(userCode: $userCode) {\n      ok\n    }\n  }\n"): (typeof documents)["\n  mutation DenyDevice($userCode: String!) {\n    denyDevice(userCode: $userCode) {\n      ok\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Session {\n    viewer {\n      user {\n        id\n        displayName\n        email\n        platformRole\n      }\n      memberships {\n        role\n        team {\n          id\n        }\n      }\n    }\n    teams(first: 100) {\n      nodes {\n        id\n        name\n        namespace\n        viewerRole\n      }\n    }\n  }\n"): (typeof documents)["\n  query Session {\n    viewer {\n      user {\n        id\n        displayName\n        email\n        platformRole\n      }\n      memberships {\n        role\n        team {\n          id\n        }\n      }\n    }\n    teams(first: 100) {\n      nodes {\n        id\n        name\n        namespace\n        viewerRole\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SendTestMail($to: String!) {\n    sendTestMail(to: $to) {\n      ok\n    }\n  }\n"): (typeof documents)["\n  mutation SendTestMail($to: String!) {\n    sendTestMail(to: $to) {\n      ok\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment SettingField on Setting {\n    key\n    group\n    name\n    description\n    kind\n    value\n    isSet\n    default\n    min\n    max\n    options\n    optional\n    source\n    effect\n    editable\n    version\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n  }\n"): (typeof documents)["\n  fragment SettingField on Setting {\n    key\n    group\n    name\n    description\n    kind\n    value\n    isSet\n    default\n    min\n    max\n    options\n    optional\n    source\n    effect\n    editable\n    version\n    changedAt\n    changedBy {\n      id\n      displayName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateSettings($input: UpdateSettingsInput!) {\n    updateSettings(input: $input) {\n      settings {\n        ...SettingField\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateSettings($input: UpdateSettingsInput!) {\n    updateSettings(input: $input) {\n      settings {\n        ...SettingField\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment UserLimitLine on UserLimit {\n    instances\n    user {\n      id\n      displayName\n      email\n    }\n  }\n"): (typeof documents)["\n  fragment UserLimitLine on UserLimit {\n    instances\n    user {\n      id\n      displayName\n      email\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PeopleForLimits {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"): (typeof documents)["\n  query PeopleForLimits {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetUserLimit($input: SetUserLimitInput!) {\n    setUserLimit(input: $input) {\n      userLimits {\n        ...UserLimitLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetUserLimit($input: SetUserLimitInput!) {\n    setUserLimit(input: $input) {\n      userLimits {\n        ...UserLimitLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ShareRow on Share {\n    id\n    state\n    mode\n    volumeName\n    sizeBytes\n    fromTeamName\n    ownerName\n    grantedByName\n    granteeKind\n    grantee\n    team {\n      id\n      name\n    }\n    message\n    createdAt\n    endsAt\n    lapsesAt\n    ready\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      kind\n      readOnly\n    }\n    can {\n      accept\n      decline\n      change\n      revoke\n    }\n  }\n"): (typeof documents)["\n  fragment ShareRow on Share {\n    id\n    state\n    mode\n    volumeName\n    sizeBytes\n    fromTeamName\n    ownerName\n    grantedByName\n    granteeKind\n    grantee\n    team {\n      id\n      name\n    }\n    message\n    createdAt\n    endsAt\n    lapsesAt\n    ready\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      kind\n      readOnly\n    }\n    can {\n      accept\n      decline\n      change\n      revoke\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query IncomingShares($first: Int, $after: String, $filter: ShareFilter) {\n    shares(direction: INCOMING, first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...ShareRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query IncomingShares($first: Int, $after: String, $filter: ShareFilter) {\n    shares(direction: INCOMING, first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...ShareRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AcceptShare($id: ID!, $teamId: ID) {\n    acceptShare(id: $id, teamId: $teamId) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation AcceptShare($id: ID!, $teamId: ID) {\n    acceptShare(id: $id, teamId: $teamId) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeclineShare($id: ID!, $confirm: Boolean!) {\n    declineShare(id: $id, confirm: $confirm) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DeclineShare($id: ID!, $confirm: Boolean!) {\n    declineShare(id: $id, confirm: $confirm) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query OutgoingShares($volumeId: ID!) {\n    shares(direction: OUTGOING, first: 100, filter: { volumeId: $volumeId, states: [OFFERED, ACCEPTED] }) {\n      nodes {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  query OutgoingShares($volumeId: ID!) {\n    shares(direction: OUTGOING, first: 100, filter: { volumeId: $volumeId, states: [OFFERED, ACCEPTED] }) {\n      nodes {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewRevokeShare($id: ID!) {\n    previewRevokeShare(id: $id) {\n      stopped\n      usedBy {\n        id\n        name\n        kind\n        ownerName\n        readOnly\n      }\n    }\n  }\n"): (typeof documents)["\n  query PreviewRevokeShare($id: ID!) {\n    previewRevokeShare(id: $id) {\n      stopped\n      usedBy {\n        id\n        name\n        kind\n        ownerName\n        readOnly\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeShare($id: ID!, $confirm: Boolean!, $after: ShareAfter!) {\n    revokeShare(id: $id, confirm: $confirm, after: $after) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RevokeShare($id: ID!, $confirm: Boolean!, $after: ShareAfter!) {\n    revokeShare(id: $id, confirm: $confirm, after: $after) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation GiveBackShare($id: ID!) {\n    declineShare(id: $id, confirm: true) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation GiveBackShare($id: ID!) {\n    declineShare(id: $id, confirm: true) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ShareVolume($input: ShareVolumeInput!) {\n    shareVolume(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ShareVolume($input: ShareVolumeInput!) {\n    shareVolume(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ChangeShare($input: ChangeShareInput!) {\n    changeShare(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ChangeShare($input: ChangeShareInput!) {\n    changeShare(input: $input) {\n      share {\n        ...ShareRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewShare($input: ShareTargetInput!) {\n    previewShare(input: $input) {\n      atOnce\n      acrossTeams\n      lapsesAt\n      reason {\n        ...ReasonText\n      }\n      usedBy {\n        id\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  query PreviewShare($input: ShareTargetInput!) {\n    previewShare(input: $input) {\n      atOnce\n      acrossTeams\n      lapsesAt\n      reason {\n        ...ReasonText\n      }\n      usedBy {\n        id\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TeamSlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n      used\n      waiting\n      uses {\n        step\n        state\n        holds\n        since\n        flowRun {\n          id\n          localTime\n          flow {\n            id\n            name\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query TeamSlotGroups($teamId: ID!) {\n    slotGroups(teamId: $teamId) {\n      id\n      name\n      slots\n      used\n      waiting\n      uses {\n        step\n        state\n        holds\n        since\n        flowRun {\n          id\n          localTime\n          flow {\n            id\n            name\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetSlotGroup($teamId: ID!, $name: String!, $slots: Int!) {\n    setSlotGroup(teamId: $teamId, name: $name, slots: $slots) {\n      group {\n        id\n        name\n        slots\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetSlotGroup($teamId: ID!, $name: String!, $slots: Int!) {\n    setSlotGroup(teamId: $teamId, name: $name, slots: $slots) {\n      group {\n        id\n        name\n        slots\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TeamDeletion($id: ID!) {\n    teamDeletion(id: $id) {\n      namespace\n      secrets\n      images\n      members\n      invitations\n      left\n    }\n  }\n"): (typeof documents)["\n  query TeamDeletion($id: ID!) {\n    teamDeletion(id: $id) {\n      namespace\n      secrets\n      images\n      members\n      invitations\n      left\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment InvitationLine on Invitation {\n    id\n    email\n    role\n    expiresAt\n    inviter {\n      id\n      displayName\n    }\n  }\n"): (typeof documents)["\n  fragment InvitationLine on Invitation {\n    id\n    email\n    role\n    expiresAt\n    inviter {\n      id\n      displayName\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Invitations($teamId: ID!) {\n    invitations(teamId: $teamId) {\n      ...InvitationLine\n    }\n  }\n"): (typeof documents)["\n  query Invitations($teamId: ID!) {\n    invitations(teamId: $teamId) {\n      ...InvitationLine\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ResendInvitation($id: ID!) {\n    resendInvitation(id: $id) {\n      url\n      invitation {\n        ...InvitationLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ResendInvitation($id: ID!) {\n    resendInvitation(id: $id) {\n      url\n      invitation {\n        ...InvitationLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeInvitation($id: ID!) {\n    revokeInvitation(id: $id) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation RevokeInvitation($id: ID!) {\n    revokeInvitation(id: $id) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation InviteMember($input: InviteMemberInput!) {\n    inviteMember(input: $input) {\n      url\n      invitation {\n        id\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation InviteMember($input: InviteMemberInput!) {\n    inviteMember(input: $input) {\n      url\n      invitation {\n        id\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PeopleToAdd($first: Int!) {\n    users(first: $first) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"): (typeof documents)["\n  query PeopleToAdd($first: Int!) {\n    users(first: $first) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AddTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation AddTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LeavePreview($userId: ID!, $teamId: ID!) {\n    departurePreview(userId: $userId, teamId: $teamId) {\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n"): (typeof documents)["\n  query LeavePreview($userId: ID!, $teamId: ID!) {\n    departurePreview(userId: $userId, teamId: $teamId) {\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MakeViewer($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation MakeViewer($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RemoveTeamMember($input: RemoveTeamMemberInput!) {\n    removeTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RemoveTeamMember($input: RemoveTeamMemberInput!) {\n    removeTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Member on Membership {\n    role\n    user {\n      id\n      displayName\n      email\n    }\n  }\n"): (typeof documents)["\n  fragment Member on Membership {\n    role\n    user {\n      id\n      displayName\n      email\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetTeamMember($input: SetTeamMemberInput!) {\n    setTeamMember(input: $input) {\n      team {\n        id\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query QuotaPreview($input: QuotaPreviewInput!) {\n    quotaPreview(input: $input) {\n      largestVolume\n      defaults {\n        cpuMilli\n        memoryBytes\n      }\n      defaultRequests {\n        cpuMilli\n        memoryBytes\n      }\n      items {\n        resource\n        unit\n        used\n        oldLimit\n        newLimit\n        excess\n        promised\n        unlimited\n        capacity\n        exceeding {\n          id\n          name\n          amount\n        }\n        blocked {\n          id\n          name\n          amount\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query QuotaPreview($input: QuotaPreviewInput!) {\n    quotaPreview(input: $input) {\n      largestVolume\n      defaults {\n        cpuMilli\n        memoryBytes\n      }\n      defaultRequests {\n        cpuMilli\n        memoryBytes\n      }\n      items {\n        resource\n        unit\n        used\n        oldLimit\n        newLimit\n        excess\n        promised\n        unlimited\n        capacity\n        exceeding {\n          id\n          name\n          amount\n        }\n        blocked {\n          id\n          name\n          amount\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Quota on QuotaStatus {\n    observedAt\n    items {\n      resource\n      unit\n      used\n      requested\n      limit\n      holders {\n        id\n        name\n        amount\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment Quota on QuotaStatus {\n    observedAt\n    items {\n      resource\n      unit\n      used\n      requested\n      limit\n      holders {\n        id\n        name\n        amount\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment TeamRetention on TeamRetention {\n    own {\n      logDays\n      runDays\n    }\n    effective {\n      logDays\n      runDays\n    }\n    platform {\n      logDays\n      runDays\n    }\n    mostDays\n  }\n"): (typeof documents)["\n  fragment TeamRetention on TeamRetention {\n    own {\n      logDays\n      runDays\n    }\n    effective {\n      logDays\n      runDays\n    }\n    platform {\n      logDays\n      runDays\n    }\n    mostDays\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SetTeamRetention($input: SetTeamRetentionInput!) {\n    setTeamRetention(input: $input) {\n      team {\n        id\n        retention {\n          ...TeamRetention\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SetTeamRetention($input: SetTeamRetentionInput!) {\n    setTeamRetention(input: $input) {\n      team {\n        id\n        retention {\n          ...TeamRetention\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment TeamLife on Team {\n    id\n    name\n    state\n    archivedAt\n    can {\n      edit\n      transfer\n      archive\n      restore\n      delete\n      acknowledge\n      retention\n    }\n  }\n"): (typeof documents)["\n  fragment TeamLife on Team {\n    id\n    name\n    state\n    archivedAt\n    can {\n      edit\n      transfer\n      archive\n      restore\n      delete\n      acknowledge\n      retention\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ArchiveTeam($id: ID!, $stop: Boolean!) {\n    archiveTeam(id: $id, stop: $stop) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ArchiveTeam($id: ID!, $stop: Boolean!) {\n    archiveTeam(id: $id, stop: $stop) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestoreTeam($id: ID!) {\n    restoreTeam(id: $id) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RestoreTeam($id: ID!) {\n    restoreTeam(id: $id) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteTeam($id: ID!, $confirmName: String!) {\n    deleteTeam(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteTeam($id: ID!, $confirmName: String!) {\n    deleteTeam(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AcknowledgeTeam($id: ID!) {\n    acknowledgeTeam(id: $id) {\n      team {\n        ...TeamLife\n        reason {\n          ...ReasonText\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation AcknowledgeTeam($id: ID!) {\n    acknowledgeTeam(id: $id) {\n      team {\n        ...TeamLife\n        reason {\n          ...ReasonText\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TransferTeam($input: TransferTeamInput!) {\n    transferTeam(input: $input) {\n      team {\n        ...TeamLife\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation TransferTeam($input: TransferTeamInput!) {\n    transferTeam(input: $input) {\n      team {\n        ...TeamLife\n        members {\n          ...Member\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TransferChoices {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"): (typeof documents)["\n  query TransferChoices {\n    users(first: 200) {\n      nodes {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment TeamLine on Team {\n    id\n    name\n    namespace\n    state\n    viewerRole\n    reason {\n      ...ReasonText\n    }\n    findings {\n      code\n    }\n    quota {\n      items {\n        resource\n        unit\n        used\n        requested\n        limit\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment TeamLine on Team {\n    id\n    name\n    namespace\n    state\n    viewerRole\n    reason {\n      ...ReasonText\n    }\n    findings {\n      code\n    }\n    quota {\n      items {\n        resource\n        unit\n        used\n        requested\n        limit\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query VolumeChoices($teamId: ID!) {\n    volumes(first: 100, filter: { teamId: $teamId, inTrash: false }) {\n      nodes {\n        id\n        name\n        kind\n        phase\n        sizeBytes\n        usage {\n          usedBytes\n          capacityBytes\n          source\n        }\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n    shares(direction: INCOMING, first: 100, filter: { states: [ACCEPTED], teamId: $teamId }) {\n      nodes {\n        id\n        mode\n        volumeName\n        ownerName\n        ready\n        team {\n          id\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query VolumeChoices($teamId: ID!) {\n    volumes(first: 100, filter: { teamId: $teamId, inTrash: false }) {\n      nodes {\n        id\n        name\n        kind\n        phase\n        sizeBytes\n        usage {\n          usedBytes\n          capacityBytes\n          source\n        }\n        owner {\n          id\n          displayName\n        }\n      }\n    }\n    shares(direction: INCOMING, first: 100, filter: { states: [ACCEPTED], teamId: $teamId }) {\n      nodes {\n        id\n        mode\n        volumeName\n        ownerName\n        ready\n        team {\n          id\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ClaimOwners($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query ClaimOwners($teamId: ID!) {\n    team(id: $teamId) {\n      id\n      members {\n        role\n        user {\n          id\n          displayName\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AdoptVolume($input: AdoptVolumeInput!) {\n    adoptVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation AdoptVolume($input: AdoptVolumeInput!) {\n    adoptVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment VolumeRow on Volume {\n    id\n    name\n    kind\n    description\n    sizeBytes\n    capacityBytes\n    accessMode\n    storageClass\n    phase\n    claim\n    adopted\n    createdAt\n    team {\n      id\n      name\n    }\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      readOnly\n    }\n    trash {\n      since\n      until\n    }\n    usage {\n      usedBytes\n      capacityBytes\n      inodesUsed\n      inodes\n      at\n      source\n      percent\n      nearlyFull\n    }\n    can {\n      edit\n      expand\n      trash\n      restore\n      delete\n    }\n  }\n"): (typeof documents)["\n  fragment VolumeRow on Volume {\n    id\n    name\n    kind\n    description\n    sizeBytes\n    capacityBytes\n    accessMode\n    storageClass\n    phase\n    claim\n    adopted\n    createdAt\n    team {\n      id\n      name\n    }\n    owner {\n      id\n      displayName\n    }\n    reason {\n      ...ReasonText\n    }\n    usedBy {\n      id\n      name\n      readOnly\n    }\n    trash {\n      since\n      until\n    }\n    usage {\n      usedBytes\n      capacityBytes\n      inodesUsed\n      inodes\n      at\n      source\n      percent\n      nearlyFull\n    }\n    can {\n      edit\n      expand\n      trash\n      restore\n      delete\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query UnknownClaims($teamId: ID!) {\n    unknownClaims(teamId: $teamId) {\n      name\n      sizeBytes\n      storageClass\n      accessModes\n      phase\n      createdAt\n      ours\n      pods\n      obstacle {\n        ...ReasonText\n      }\n    }\n  }\n"): (typeof documents)["\n  query UnknownClaims($teamId: ID!) {\n    unknownClaims(teamId: $teamId) {\n      name\n      sizeBytes\n      storageClass\n      accessModes\n      phase\n      createdAt\n      ours\n      pods\n      obstacle {\n        ...ReasonText\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateVolume($input: CreateVolumeInput!) {\n    createVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateVolume($input: CreateVolumeInput!) {\n    createVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query StorageClasses {\n    storageClasses {\n      name\n      default\n      expandable\n      waitsForConsumer\n      onDelete\n    }\n  }\n"): (typeof documents)["\n  query StorageClasses {\n    storageClasses {\n      name\n      default\n      expandable\n      waitsForConsumer\n      onDelete\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewDeleteVolume($id: ID!) {\n    previewDeleteVolume(id: $id) {\n      trashUntil\n      freesBytes\n      disk\n      usedBy {\n        id\n        name\n      }\n      wantedBy {\n        id\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  query PreviewDeleteVolume($id: ID!) {\n    previewDeleteVolume(id: $id) {\n      trashUntil\n      freesBytes\n      disk\n      usedBy {\n        id\n        name\n      }\n      wantedBy {\n        id\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TrashVolume($id: ID!) {\n    trashVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation TrashVolume($id: ID!) {\n    trashVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteVolume($id: ID!, $confirmName: String!) {\n    deleteVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteVolume($id: ID!, $confirmName: String!) {\n    deleteVolume(id: $id, confirmName: $confirmName) {\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateVolume($input: UpdateVolumeInput!) {\n    updateVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateVolume($input: UpdateVolumeInput!) {\n    updateVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ExpandVolume($input: ExpandVolumeInput!) {\n    expandVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ExpandVolume($input: ExpandVolumeInput!) {\n    expandVolume(input: $input) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Volumes($first: Int, $after: String, $filter: VolumeFilter) {\n    volumes(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...VolumeRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query Volumes($first: Int, $after: String, $filter: VolumeFilter) {\n    volumes(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...VolumeRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RestoreVolume($id: ID!) {\n    restoreVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RestoreVolume($id: ID!) {\n    restoreVolume(id: $id) {\n      volume {\n        ...VolumeRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query VolumeUsageHistory($id: ID!) {\n    volume(id: $id) {\n      id\n      usageHistory(points: 120) {\n        at\n        usedBytes\n        capacityBytes\n      }\n    }\n  }\n"): (typeof documents)["\n  query VolumeUsageHistory($id: ID!) {\n    volume(id: $id) {\n      id\n      usageHistory(points: 120) {\n        at\n        usedBytes\n        capacityBytes\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Account {\n    sessions {\n      id\n      ...SessionLine\n    }\n    accessTokens {\n      id\n      ...AccessTokenLine\n    }\n  }\n"): (typeof documents)["\n  query Account {\n    sessions {\n      id\n      ...SessionLine\n    }\n    accessTokens {\n      id\n      ...AccessTokenLine\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EndOtherSessions {\n    endOtherSessions {\n      ok\n    }\n  }\n"): (typeof documents)["\n  mutation EndOtherSessions {\n    endOtherSessions {\n      ok\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeparturePreview($userId: ID!) {\n    departurePreview(userId: $userId) {\n      user {\n        id\n        displayName\n        email\n      }\n      sessions\n      accessTokens\n      lastAdministrator\n      began\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n"): (typeof documents)["\n  query DeparturePreview($userId: ID!) {\n    departurePreview(userId: $userId) {\n      user {\n        id\n        displayName\n        email\n      }\n      sessions\n      accessTokens\n      lastAdministrator\n      began\n      estates {\n        teamId\n        ...Estate\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DepartUser($input: DepartUserInput!) {\n    departUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DepartUser($input: DepartUserInput!) {\n    departUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteUser($input: DepartUserInput!) {\n    deleteUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteUser($input: DepartUserInput!) {\n    deleteUser(input: $input) {\n      person {\n        ...PersonLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeviceViewer {\n    viewer {\n      user {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"): (typeof documents)["\n  query DeviceViewer {\n    viewer {\n      user {\n        id\n        displayName\n        email\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Images($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageCard\n      }\n    }\n  }\n"): (typeof documents)["\n  query Images($filter: ImageFilter) {\n    images(first: 100, filter: $filter) {\n      nodes {\n        ...ImageCard\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateInstance($input: CreateInstanceInput!) {\n    createInstance(input: $input) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateInstance($input: CreateInstanceInput!) {\n    createInstance(input: $input) {\n      instance {\n        ...InstanceRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query InvitationOffer($token: String!) {\n    viewer {\n      user {\n        id\n        email\n      }\n    }\n    invitation(token: $token) {\n      teamName\n      inviterName\n      email\n      role\n      message\n      expiresAt\n      forViewer\n      known\n      closed\n    }\n  }\n"): (typeof documents)["\n  query InvitationOffer($token: String!) {\n    viewer {\n      user {\n        id\n        email\n      }\n    }\n    invitation(token: $token) {\n      teamName\n      inviterName\n      email\n      role\n      message\n      expiresAt\n      forViewer\n      known\n      closed\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation AcceptInvitation($input: AcceptInvitationInput!) {\n    acceptInvitation(input: $input) {\n      teamId\n    }\n  }\n"): (typeof documents)["\n  mutation AcceptInvitation($input: AcceptInvitationInput!) {\n    acceptInvitation(input: $input) {\n      teamId\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Overview($teamId: ID!) {\n    instances(first: 30, filter: { teamId: $teamId }) {\n      nodes {\n        ...InstanceRow\n      }\n    }\n    runs(first: 20, filter: { teamId: $teamId }) {\n      nodes {\n        ...RunRow\n      }\n    }\n    team(id: $teamId) {\n      id\n      reason {\n        ...ReasonText\n      }\n      quota {\n        ...Quota\n      }\n    }\n    cluster {\n      reachable\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n"): (typeof documents)["\n  query Overview($teamId: ID!) {\n    instances(first: 30, filter: { teamId: $teamId }) {\n      nodes {\n        ...InstanceRow\n      }\n    }\n    runs(first: 20, filter: { teamId: $teamId }) {\n      nodes {\n        ...RunRow\n      }\n    }\n    team(id: $teamId) {\n      id\n      reason {\n        ...ReasonText\n      }\n      quota {\n        ...Quota\n      }\n    }\n    cluster {\n      reachable\n      reason {\n        ...ReasonText\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription OverviewInstances($teamId: ID!) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n"): (typeof documents)["\n  subscription OverviewInstances($teamId: ID!) {\n    instancesChanged(teamId: $teamId) {\n      ...InstanceRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription OverviewRuns($teamId: ID!) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n"): (typeof documents)["\n  subscription OverviewRuns($teamId: ID!) {\n    runsChanged(teamId: $teamId) {\n      ...RunRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RunNow($input: RunNowInput!) {\n    runNow(input: $input) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RunNow($input: RunNowInput!) {\n    runNow(input: $input) {\n      run {\n        ...RunRow\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Settings {\n    settings {\n      ...SettingField\n    }\n    userLimits {\n      ...UserLimitLine\n    }\n  }\n"): (typeof documents)["\n  query Settings {\n    settings {\n      ...SettingField\n    }\n    userLimits {\n      ...UserLimitLine\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ShareFiles($id: ID!) {\n    share(id: $id) {\n      ...ShareRow\n    }\n  }\n"): (typeof documents)["\n  query ShareFiles($id: ID!) {\n    share(id: $id) {\n      ...ShareRow\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TeamEdit($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      ...TeamLife\n      overcommit {\n        cpu\n        memory\n        onlineCpu\n        onlineMemory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        items {\n          resource\n          unit\n          limit\n        }\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n    }\n  }\n"): (typeof documents)["\n  query TeamEdit($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      ...TeamLife\n      overcommit {\n        cpu\n        memory\n        onlineCpu\n        onlineMemory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        items {\n          resource\n          unit\n          limit\n        }\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateTeam($input: UpdateTeamInput!) {\n    updateTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateTeam($input: UpdateTeamInput!) {\n    updateTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateTeam($input: CreateTeamInput!) {\n    createTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateTeam($input: CreateTeamInput!) {\n    createTeam(input: $input) {\n      team {\n        ...TeamLife\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Team($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      overcommit {\n        cpu\n        memory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        observedAt\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n      retention {\n        ...TeamRetention\n      }\n      ...TeamLife\n    }\n  }\n"): (typeof documents)["\n  query Team($id: ID!) {\n    team(id: $id) {\n      id\n      name\n      namespace\n      createdAt\n      overcommit {\n        cpu\n        memory\n      }\n      reason {\n        ...ReasonText\n      }\n      findings {\n        ...ReasonText\n      }\n      quota {\n        observedAt\n        ...Quota\n      }\n      members {\n        ...Member\n      }\n      retention {\n        ...TeamRetention\n      }\n      ...TeamLife\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Teams {\n    teams(first: 200) {\n      nodes {\n        ...TeamLine\n      }\n    }\n  }\n"): (typeof documents)["\n  query Teams {\n    teams(first: 200) {\n      nodes {\n        ...TeamLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query VolumeFiles($id: ID!) {\n    volume(id: $id) {\n      id\n      name\n      team {\n        id\n      }\n    }\n  }\n"): (typeof documents)["\n  query VolumeFiles($id: ID!) {\n    volume(id: $id) {\n      id\n      name\n      team {\n        id\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Volume($id: ID!) {\n    volume(id: $id) {\n      ...VolumeRow\n    }\n  }\n"): (typeof documents)["\n  query Volume($id: ID!) {\n    volume(id: $id) {\n      ...VolumeRow\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;