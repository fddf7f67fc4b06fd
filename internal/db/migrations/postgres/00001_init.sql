-- +goose Up
-- Create "secrets" table
CREATE TABLE "secrets" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "user_id" character varying NULL,
  "team_id" character varying NULL,
  "name" character varying NOT NULL,
  "kind" character varying NOT NULL,
  "object_name" character varying NOT NULL,
  "keys" jsonb NOT NULL,
  "team_wide" boolean NOT NULL DEFAULT false,
  "master_key" character varying NOT NULL,
  "wrapped" bytea NOT NULL,
  "sealed" jsonb NOT NULL,
  "fingerprint" character varying NOT NULL,
  "created_by" character varying NOT NULL,
  "changed_by" character varying NOT NULL,
  "changed_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "secrets_object_name_key" to table: "secrets"
CREATE UNIQUE INDEX "secrets_object_name_key" ON "secrets" ("object_name");
-- Create index "secret_user_id_name" to table: "secrets"
CREATE UNIQUE INDEX "secret_user_id_name" ON "secrets" ("user_id", "name");
-- Create index "secret_team_id_name" to table: "secrets"
CREATE UNIQUE INDEX "secret_team_id_name" ON "secrets" ("team_id", "name");
-- Create index "secret_master_key" to table: "secrets"
CREATE INDEX "secret_master_key" ON "secrets" ("master_key");
-- Create "known_browsers" table
CREATE TABLE "known_browsers" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "cookie_hash" character varying NOT NULL,
  "user_id" character varying NOT NULL,
  "expires_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "knownbrowser_user_id" to table: "known_browsers"
CREATE INDEX "knownbrowser_user_id" ON "known_browsers" ("user_id");
-- Create index "knownbrowser_cookie_hash" to table: "known_browsers"
CREATE INDEX "knownbrowser_cookie_hash" ON "known_browsers" ("cookie_hash");
-- Create index "knownbrowser_expires_at" to table: "known_browsers"
CREATE INDEX "knownbrowser_expires_at" ON "known_browsers" ("expires_at");
-- Create "audit" table
CREATE TABLE "audit" (
  "id" character varying NOT NULL,
  "at" timestamptz NOT NULL,
  "actor_id" character varying NOT NULL,
  "team_id" character varying NULL,
  "action" character varying NOT NULL,
  "object_id" character varying NOT NULL,
  "before" jsonb NULL,
  "after" jsonb NULL,
  "address" character varying NOT NULL DEFAULT '',
  PRIMARY KEY ("id")
);
-- Create index "audit_object_id_id" to table: "audit"
CREATE INDEX "audit_object_id_id" ON "audit" ("object_id", "id");
-- Create index "audit_team_id_id" to table: "audit"
CREATE INDEX "audit_team_id_id" ON "audit" ("team_id", "id");
-- Create index "audit_actor_id_id" to table: "audit"
CREATE INDEX "audit_actor_id_id" ON "audit" ("actor_id", "id");
-- Create index "audit_at" to table: "audit"
CREATE INDEX "audit_at" ON "audit" ("at");
-- Create "backfills" table
CREATE TABLE "backfills" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "flow_id" character varying NOT NULL,
  "number" bigint NOT NULL,
  "actor_id" character varying NOT NULL,
  "times" jsonb NOT NULL,
  "started" bigint NOT NULL DEFAULT 0,
  "parallel" bigint NOT NULL,
  "parameters" jsonb NULL,
  "state" character varying NOT NULL DEFAULT 'running',
  "ended_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "backfill_flow_id_id" to table: "backfills"
CREATE INDEX "backfill_flow_id_id" ON "backfills" ("flow_id", "id");
-- Create index "backfill_state" to table: "backfills"
CREATE INDEX "backfill_state" ON "backfills" ("state");
-- Create "capacities" table
CREATE TABLE "capacities" (
  "id" character varying NOT NULL,
  "nodes" jsonb NOT NULL,
  "observed_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create "code_snapshots" table
CREATE TABLE "code_snapshots" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "flow_id" character varying NOT NULL,
  "number" bigint NOT NULL,
  "volume_id" character varying NOT NULL,
  "sub_path" character varying NOT NULL DEFAULT '',
  "disk_id" character varying NOT NULL,
  "state" character varying NOT NULL DEFAULT 'pending',
  "reason" jsonb NULL,
  "folder" character varying NOT NULL DEFAULT '',
  "untidy" boolean NOT NULL DEFAULT false,
  "files" bigint NOT NULL DEFAULT 0,
  "bytes" bigint NOT NULL DEFAULT 0,
  "sha256" character varying NOT NULL DEFAULT '',
  "frozen_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "codesnapshot_flow_id_number" to table: "code_snapshots"
CREATE INDEX "codesnapshot_flow_id_number" ON "code_snapshots" ("flow_id", "number");
-- Create index "codesnapshot_disk_id_sha256" to table: "code_snapshots"
CREATE INDEX "codesnapshot_disk_id_sha256" ON "code_snapshots" ("disk_id", "sha256");
-- Create index "codesnapshot_folder" to table: "code_snapshots"
CREATE INDEX "codesnapshot_folder" ON "code_snapshots" ("folder");
-- Create index "codesnapshot_state" to table: "code_snapshots"
CREATE INDEX "codesnapshot_state" ON "code_snapshots" ("state");
-- Create "departures" table
CREATE TABLE "departures" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "user_id" character varying NOT NULL,
  "asked_by" character varying NOT NULL,
  "address" character varying NOT NULL DEFAULT '',
  "plan" jsonb NOT NULL,
  "touched_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "departures_user_id_key" to table: "departures"
CREATE UNIQUE INDEX "departures_user_id_key" ON "departures" ("user_id");
-- Create "device_requests" table
CREATE TABLE "device_requests" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "device_hash" character varying NOT NULL,
  "user_hash" character varying NOT NULL,
  "client_id" character varying NOT NULL,
  "name" character varying NOT NULL,
  "scope" character varying NOT NULL,
  "address" character varying NOT NULL,
  "state" character varying NOT NULL DEFAULT 'pending',
  "user_id" character varying NULL,
  "days" bigint NOT NULL DEFAULT 0,
  "interval" bigint NOT NULL DEFAULT 5,
  "polled_at" timestamptz NULL,
  "expires_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "device_requests_device_hash_key" to table: "device_requests"
CREATE UNIQUE INDEX "device_requests_device_hash_key" ON "device_requests" ("device_hash");
-- Create index "device_requests_user_hash_key" to table: "device_requests"
CREATE UNIQUE INDEX "device_requests_user_hash_key" ON "device_requests" ("user_hash");
-- Create index "devicerequest_expires_at" to table: "device_requests"
CREATE INDEX "devicerequest_expires_at" ON "device_requests" ("expires_at");
-- Create "events" table
CREATE TABLE "events" (
  "id" character varying NOT NULL,
  "team_id" character varying NOT NULL,
  "subject_id" character varying NOT NULL,
  "at" timestamptz NOT NULL,
  "count" bigint NOT NULL DEFAULT 1,
  "severity" character varying NOT NULL DEFAULT 'info',
  "source" character varying NOT NULL,
  "type" character varying NOT NULL,
  "message" text NOT NULL DEFAULT '',
  "args" jsonb NULL,
  "actor_id" character varying NULL,
  "dedupe_key" character varying NULL,
  PRIMARY KEY ("id")
);
-- Create index "events_dedupe_key_key" to table: "events"
CREATE UNIQUE INDEX "events_dedupe_key_key" ON "events" ("dedupe_key");
-- Create index "event_subject_id_id" to table: "events"
CREATE INDEX "event_subject_id_id" ON "events" ("subject_id", "id");
-- Create "teams" table
CREATE TABLE "teams" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "name" character varying NOT NULL,
  "name_key" character varying NOT NULL,
  "namespace" character varying NOT NULL,
  "quota" jsonb NOT NULL,
  "overcommit" jsonb NOT NULL,
  "reason" jsonb NULL,
  "desired" character varying NOT NULL DEFAULT 'present',
  "archived_at" timestamptz NULL,
  "namespace_uid" character varying NOT NULL DEFAULT '',
  "lost" jsonb NULL,
  "retention" jsonb NULL,
  "findings" jsonb NULL,
  PRIMARY KEY ("id")
);
-- Create index "teams_name_key_key" to table: "teams"
CREATE UNIQUE INDEX "teams_name_key_key" ON "teams" ("name_key");
-- Create index "teams_namespace_key" to table: "teams"
CREATE UNIQUE INDEX "teams_namespace_key" ON "teams" ("namespace");
-- Create index "team_name_id" to table: "teams"
CREATE INDEX "team_name_id" ON "teams" ("name", "id");
-- Create "sessions" table
CREATE TABLE "sessions" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "user_id" character varying NOT NULL,
  "data" bytea NOT NULL,
  "expires_at" timestamptz NOT NULL,
  "used_at" timestamptz NOT NULL,
  "address" character varying NOT NULL DEFAULT '',
  "agent" character varying NOT NULL DEFAULT '',
  "way" character varying NOT NULL DEFAULT '',
  PRIMARY KEY ("id")
);
-- Create index "session_expires_at" to table: "sessions"
CREATE INDEX "session_expires_at" ON "sessions" ("expires_at");
-- Create index "session_user_id" to table: "sessions"
CREATE INDEX "session_user_id" ON "sessions" ("user_id");
-- Create "flow_versions" table
CREATE TABLE "flow_versions" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "flow_id" character varying NOT NULL,
  "number" bigint NOT NULL,
  "spec" jsonb NOT NULL,
  "author_id" character varying NOT NULL,
  "comment" character varying NOT NULL DEFAULT '',
  "restores" bigint NOT NULL DEFAULT 0,
  "code_of" bigint NOT NULL DEFAULT 0,
  PRIMARY KEY ("id")
);
-- Create index "flowversion_flow_id_number" to table: "flow_versions"
CREATE UNIQUE INDEX "flowversion_flow_id_number" ON "flow_versions" ("flow_id", "number");
-- Create "identities" table
CREATE TABLE "identities" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "user_id" character varying NOT NULL,
  "issuer" character varying NOT NULL,
  "subject" character varying NOT NULL,
  "email" character varying NOT NULL DEFAULT '',
  "used_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "identity_issuer_subject" to table: "identities"
CREATE UNIQUE INDEX "identity_issuer_subject" ON "identities" ("issuer", "subject");
-- Create index "identity_user_id_issuer" to table: "identities"
CREATE UNIQUE INDEX "identity_user_id_issuer" ON "identities" ("user_id", "issuer");
-- Create "slot_groups" table
CREATE TABLE "slot_groups" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "name" character varying NOT NULL,
  "slots" bigint NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "slotgroup_team_id_name" to table: "slot_groups"
CREATE UNIQUE INDEX "slotgroup_team_id_name" ON "slot_groups" ("team_id", "name");
-- Create "volume_samples" table
CREATE TABLE "volume_samples" (
  "id" bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  "volume_id" character varying NOT NULL,
  "at" timestamptz NOT NULL,
  "used_bytes" bigint NOT NULL,
  "capacity_bytes" bigint NOT NULL,
  "inodes_used" bigint NOT NULL,
  "inodes" bigint NOT NULL,
  "source" character varying NOT NULL,
  "hourly" boolean NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "volumesample_volume_id_at" to table: "volume_samples"
CREATE UNIQUE INDEX "volumesample_volume_id_at" ON "volume_samples" ("volume_id", "at");
-- Create index "volumesample_at" to table: "volume_samples"
CREATE INDEX "volumesample_at" ON "volume_samples" ("at");
-- Create "invitations" table
CREATE TABLE "invitations" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "email" character varying NOT NULL,
  "role" character varying NOT NULL,
  "message" character varying NOT NULL DEFAULT '',
  "token_hash" character varying NOT NULL,
  "inviter_id" character varying NOT NULL,
  "expires_at" timestamptz NOT NULL,
  "accepted_at" timestamptz NULL,
  "accepted_by" character varying NULL,
  "revoked_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "invitations_token_hash_key" to table: "invitations"
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations" ("token_hash");
-- Create index "invitation_team_id_email" to table: "invitations"
CREATE INDEX "invitation_team_id_email" ON "invitations" ("team_id", "email");
-- Create index "invitation_inviter_id" to table: "invitations"
CREATE INDEX "invitation_inviter_id" ON "invitations" ("inviter_id");
-- Create index "invitation_expires_at" to table: "invitations"
CREATE INDEX "invitation_expires_at" ON "invitations" ("expires_at");
-- Create "sign_in_tries" table
CREATE TABLE "sign_in_tries" (
  "id" character varying NOT NULL,
  "failures" bigint NOT NULL DEFAULT 0,
  "until" timestamptz NOT NULL,
  "updated_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "signintry_updated_at" to table: "sign_in_tries"
CREATE INDEX "signintry_updated_at" ON "sign_in_tries" ("updated_at");
-- Create "leases" table
CREATE TABLE "leases" (
  "id" character varying NOT NULL,
  "holder" character varying NOT NULL,
  "fence" bigint NOT NULL DEFAULT 1,
  "until" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create "access_tokens" table
CREATE TABLE "access_tokens" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "user_id" character varying NOT NULL,
  "name" character varying NOT NULL,
  "subject_id" character varying NOT NULL DEFAULT '',
  "subject_start" bigint NOT NULL DEFAULT 0,
  "team_id" character varying NOT NULL DEFAULT '',
  "scope" character varying NOT NULL,
  "token_hash" character varying NOT NULL,
  "expires_at" timestamptz NOT NULL,
  "used_at" timestamptz NULL,
  "address" character varying NOT NULL DEFAULT '',
  PRIMARY KEY ("id")
);
-- Create index "access_tokens_token_hash_key" to table: "access_tokens"
CREATE UNIQUE INDEX "access_tokens_token_hash_key" ON "access_tokens" ("token_hash");
-- Create index "accesstoken_user_id_name_subject_id_subject_start" to table: "access_tokens"
CREATE UNIQUE INDEX "accesstoken_user_id_name_subject_id_subject_start" ON "access_tokens" ("user_id", "name", "subject_id", "subject_start");
-- Create index "accesstoken_subject_id" to table: "access_tokens"
CREATE INDEX "accesstoken_subject_id" ON "access_tokens" ("subject_id");
-- Create index "accesstoken_expires_at" to table: "access_tokens"
CREATE INDEX "accesstoken_expires_at" ON "access_tokens" ("expires_at");
-- Create "login_links" table
CREATE TABLE "login_links" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "user_id" character varying NOT NULL,
  "token_hash" character varying NOT NULL,
  "expires_at" timestamptz NOT NULL,
  "used_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "login_links_token_hash_key" to table: "login_links"
CREATE UNIQUE INDEX "login_links_token_hash_key" ON "login_links" ("token_hash");
-- Create "user_limits" table
CREATE TABLE "user_limits" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "instances" bigint NOT NULL,
  PRIMARY KEY ("id")
);
-- Create "outbox" table
CREATE TABLE "outbox" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "kind" character varying NOT NULL,
  "object_id" character varying NOT NULL,
  "due_at" timestamptz NOT NULL,
  "dispatched_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "outbox_dispatched_at_due_at" to table: "outbox"
CREATE INDEX "outbox_dispatched_at_due_at" ON "outbox" ("dispatched_at", "due_at");
-- Create "passwords" table
CREATE TABLE "passwords" (
  "id" character varying NOT NULL,
  "user_id" character varying NOT NULL,
  "hash" character varying NOT NULL,
  "changed_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "passwords_user_id_key" to table: "passwords"
CREATE UNIQUE INDEX "passwords_user_id_key" ON "passwords" ("user_id");
-- Create "platform_volumes" table
CREATE TABLE "platform_volumes" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "name" character varying NOT NULL,
  "description" text NOT NULL DEFAULT '',
  "path" character varying NOT NULL,
  "read_only" boolean NOT NULL DEFAULT true,
  "enabled" boolean NOT NULL DEFAULT true,
  "source_namespace" character varying NOT NULL,
  "source_claim" character varying NOT NULL,
  "made" boolean NOT NULL,
  "size_bytes" bigint NOT NULL DEFAULT 0,
  "storage_class" character varying NOT NULL DEFAULT '',
  "object_name" character varying NOT NULL,
  "desired" character varying NOT NULL DEFAULT 'present',
  "phase" character varying NOT NULL DEFAULT 'pending',
  "reason" jsonb NULL,
  "ready_teams" jsonb NULL,
  PRIMARY KEY ("id")
);
-- Create index "platform_volumes_object_name_key" to table: "platform_volumes"
CREATE UNIQUE INDEX "platform_volumes_object_name_key" ON "platform_volumes" ("object_name");
-- Create index "platformvolume_path" to table: "platform_volumes"
CREATE INDEX "platformvolume_path" ON "platform_volumes" ("path");
-- Create "provider_tries" table
CREATE TABLE "provider_tries" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "state_hash" character varying NOT NULL,
  "next" character varying NOT NULL,
  "expires_at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "provider_tries_state_hash_key" to table: "provider_tries"
CREATE UNIQUE INDEX "provider_tries_state_hash_key" ON "provider_tries" ("state_hash");
-- Create index "providertry_expires_at" to table: "provider_tries"
CREATE INDEX "providertry_expires_at" ON "provider_tries" ("expires_at");
-- Create "reservations" table
CREATE TABLE "reservations" (
  "id" character varying NOT NULL,
  "consumer_id" character varying NOT NULL,
  "kind" character varying NOT NULL,
  "team_id" character varying NOT NULL,
  "owner_id" character varying NOT NULL,
  "name" character varying NOT NULL,
  "class" character varying NOT NULL,
  "resources" jsonb NOT NULL,
  "gpu" bigint NOT NULL DEFAULT 0,
  "state" character varying NOT NULL,
  "since" timestamptz NOT NULL,
  "until" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "reservations_consumer_id_key" to table: "reservations"
CREATE UNIQUE INDEX "reservations_consumer_id_key" ON "reservations" ("consumer_id");
-- Create index "reservation_team_id_state" to table: "reservations"
CREATE INDEX "reservation_team_id_state" ON "reservations" ("team_id", "state");
-- Create index "reservation_state_gpu" to table: "reservations"
CREATE INDEX "reservation_state_gpu" ON "reservations" ("state", "gpu");
-- Create "shares" table
CREATE TABLE "shares" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "volume_id" character varying NOT NULL,
  "volume_name" character varying NOT NULL,
  "from_team_id" character varying NOT NULL,
  "grantee_kind" character varying NOT NULL,
  "grantee" character varying NOT NULL,
  "user_id" character varying NOT NULL DEFAULT '',
  "team_id" character varying NOT NULL DEFAULT '',
  "open_key" character varying NULL,
  "mode" character varying NOT NULL,
  "message" character varying NOT NULL DEFAULT '',
  "granted_by" character varying NOT NULL,
  "accepted_by" character varying NOT NULL DEFAULT '',
  "accepted_at" timestamptz NULL,
  "ends_at" timestamptz NULL,
  "over_at" timestamptz NULL,
  "state" character varying NOT NULL DEFAULT 'offered',
  "after" character varying NOT NULL DEFAULT 'restart',
  "ready" boolean NOT NULL DEFAULT false,
  "reason" jsonb NULL,
  "read_only_name" character varying NOT NULL,
  "read_write_name" character varying NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "shares_open_key_key" to table: "shares"
CREATE UNIQUE INDEX "shares_open_key_key" ON "shares" ("open_key");
-- Create index "shares_read_only_name_key" to table: "shares"
CREATE UNIQUE INDEX "shares_read_only_name_key" ON "shares" ("read_only_name");
-- Create index "shares_read_write_name_key" to table: "shares"
CREATE UNIQUE INDEX "shares_read_write_name_key" ON "shares" ("read_write_name");
-- Create index "share_volume_id" to table: "shares"
CREATE INDEX "share_volume_id" ON "shares" ("volume_id");
-- Create index "share_from_team_id_id" to table: "shares"
CREATE INDEX "share_from_team_id_id" ON "shares" ("from_team_id", "id");
-- Create index "share_user_id" to table: "shares"
CREATE INDEX "share_user_id" ON "shares" ("user_id");
-- Create index "share_team_id" to table: "shares"
CREATE INDEX "share_team_id" ON "shares" ("team_id");
-- Create index "share_state" to table: "shares"
CREATE INDEX "share_state" ON "shares" ("state");
-- Create "transitions" table
CREATE TABLE "transitions" (
  "id" character varying NOT NULL,
  "team_id" character varying NOT NULL,
  "flow_run_id" character varying NOT NULL,
  "step" character varying NOT NULL DEFAULT '',
  "round" bigint NOT NULL DEFAULT 0,
  "was" character varying NOT NULL DEFAULT '',
  "becomes" character varying NOT NULL,
  "cause" character varying NOT NULL,
  "args" jsonb NULL,
  "actor_id" character varying NOT NULL DEFAULT '',
  "at" timestamptz NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "transition_flow_run_id_id" to table: "transitions"
CREATE INDEX "transition_flow_run_id_id" ON "transitions" ("flow_run_id", "id");
-- Create "log_chunks" table
CREATE TABLE "log_chunks" (
  "id" bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  "created_at" timestamptz NOT NULL,
  "attempt_id" character varying NOT NULL,
  "first_line" bigint NOT NULL,
  "lines" bigint NOT NULL,
  "first_byte" bigint NOT NULL,
  "bytes" bigint NOT NULL,
  "last_time" timestamptz NOT NULL,
  "last_count" bigint NOT NULL,
  "key" character varying NOT NULL,
  PRIMARY KEY ("id")
);
-- Create index "logchunk_attempt_id_first_line" to table: "log_chunks"
CREATE UNIQUE INDEX "logchunk_attempt_id_first_line" ON "log_chunks" ("attempt_id", "first_line");
-- Create "settings" table
CREATE TABLE "settings" (
  "id" character varying NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "value" text NOT NULL,
  "is_default" boolean NOT NULL DEFAULT false,
  "changed_by" character varying NOT NULL,
  PRIMARY KEY ("id")
);
-- Create "users" table
CREATE TABLE "users" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "email" character varying NOT NULL,
  "display_name" character varying NOT NULL,
  "platform_role" character varying NOT NULL DEFAULT 'user',
  "platform_role_origin" character varying NOT NULL DEFAULT 'manual',
  "disabled_at" timestamptz NULL,
  "departed_at" timestamptz NULL,
  "erased_at" timestamptz NULL,
  "seen_at" timestamptz NULL,
  PRIMARY KEY ("id")
);
-- Create index "users_email_key" to table: "users"
CREATE UNIQUE INDEX "users_email_key" ON "users" ("email");
-- Create "images" table
CREATE TABLE "images" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "name" character varying NOT NULL,
  "reference" character varying NOT NULL,
  "description" character varying NOT NULL DEFAULT '',
  "framework" character varying NOT NULL DEFAULT '',
  "framework_version" character varying NOT NULL DEFAULT '',
  "gpu" boolean NOT NULL DEFAULT false,
  "development" boolean NOT NULL DEFAULT false,
  "apps" jsonb NULL,
  "recommended" boolean NOT NULL DEFAULT false,
  "deprecated" boolean NOT NULL DEFAULT false,
  "pull_secret" character varying NOT NULL DEFAULT '',
  "size_bytes" bigint NULL,
  "deleted_at" timestamptz NULL,
  "team_id" character varying NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "images_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE SET NULL
);
-- Create index "image_team_id" to table: "images"
CREATE INDEX "image_team_id" ON "images" ("team_id");
-- Create index "image_recommended_name_id" to table: "images"
CREATE INDEX "image_recommended_name_id" ON "images" ("recommended", "name", "id");
-- Create "tasks" table
CREATE TABLE "tasks" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "owner_id" character varying NOT NULL,
  "name" character varying NOT NULL,
  "spec" jsonb NOT NULL,
  "team_id" character varying NOT NULL,
  "image_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "tasks_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "tasks_images_image" FOREIGN KEY ("image_id") REFERENCES "images" ("id") ON DELETE NO ACTION
);
-- Create "runs" table
CREATE TABLE "runs" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "inherited" jsonb NULL,
  "name" character varying NOT NULL,
  "desired" character varying NOT NULL DEFAULT 'run',
  "state" character varying NOT NULL DEFAULT 'pending',
  "reason" jsonb NULL,
  "failures" bigint NOT NULL DEFAULT 0,
  "next_attempt_at" timestamptz NULL,
  "flow_run_id" character varying NOT NULL DEFAULT '',
  "step" character varying NOT NULL DEFAULT '',
  "round" bigint NOT NULL DEFAULT 0,
  "stopped_by" character varying NULL,
  "started_at" timestamptz NULL,
  "ended_at" timestamptz NULL,
  "log_state" character varying NOT NULL DEFAULT 'kept',
  "team_id" character varying NOT NULL,
  "owner_id" character varying NOT NULL,
  "task_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "runs_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "runs_users_owner" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE NO ACTION,
  CONSTRAINT "runs_tasks_task" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE NO ACTION
);
-- Create index "run_team_id_id" to table: "runs"
CREATE INDEX "run_team_id_id" ON "runs" ("team_id", "id");
-- Create index "run_owner_id_id" to table: "runs"
CREATE INDEX "run_owner_id_id" ON "runs" ("owner_id", "id");
-- Create index "run_state" to table: "runs"
CREATE INDEX "run_state" ON "runs" ("state");
-- Create index "run_flow_run_id_step_round" to table: "runs"
CREATE INDEX "run_flow_run_id_step_round" ON "runs" ("flow_run_id", "step", "round");
-- Create index "run_log_state_team_id_ended_at" to table: "runs"
CREATE INDEX "run_log_state_team_id_ended_at" ON "runs" ("log_state", "team_id", "ended_at");
-- Create "attempts" table
CREATE TABLE "attempts" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "number" bigint NOT NULL,
  "state" character varying NOT NULL DEFAULT 'pending',
  "reason" jsonb NULL,
  "timeline" jsonb NULL,
  "job_name" character varying NOT NULL,
  "pod_uid" character varying NOT NULL DEFAULT '',
  "pod_name" character varying NOT NULL DEFAULT '',
  "node" character varying NOT NULL DEFAULT '',
  "image_digest" character varying NOT NULL DEFAULT '',
  "exit_code" bigint NULL,
  "started_at" timestamptz NULL,
  "ended_at" timestamptz NULL,
  "log_bytes" bigint NOT NULL DEFAULT 0,
  "log_lines" bigint NOT NULL DEFAULT 0,
  "log_complete" boolean NOT NULL DEFAULT false,
  "log_truncated" boolean NOT NULL DEFAULT false,
  "log_removed_at" timestamptz NULL,
  "log_kept_days" bigint NOT NULL DEFAULT 0,
  "outputs" character varying NOT NULL DEFAULT '',
  "run_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "attempts_runs_run" FOREIGN KEY ("run_id") REFERENCES "runs" ("id") ON DELETE NO ACTION
);
-- Create index "attempts_job_name_key" to table: "attempts"
CREATE UNIQUE INDEX "attempts_job_name_key" ON "attempts" ("job_name");
-- Create index "attempt_run_id_number" to table: "attempts"
CREATE UNIQUE INDEX "attempt_run_id_number" ON "attempts" ("run_id", "number");
-- Create index "attempt_log_complete" to table: "attempts"
CREATE INDEX "attempt_log_complete" ON "attempts" ("log_complete");
-- Create "flows" table
CREATE TABLE "flows" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "name" character varying NOT NULL,
  "name_key" character varying NULL,
  "latest" bigint NOT NULL DEFAULT 0,
  "paused" boolean NOT NULL DEFAULT true,
  "paused_why" jsonb NULL,
  "schedule" jsonb NOT NULL,
  "concurrency" character varying NOT NULL DEFAULT 'forbid',
  "cursor" timestamptz NOT NULL,
  "settled_until" timestamptz NULL,
  "next_fire_at" timestamptz NULL,
  "deleted_at" timestamptz NULL,
  "team_id" character varying NOT NULL,
  "owner_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "flows_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "flows_users_owner" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE NO ACTION
);
-- Create index "flow_name_key" to table: "flows"
CREATE UNIQUE INDEX "flow_name_key" ON "flows" ("name_key");
-- Create index "flow_team_id_id" to table: "flows"
CREATE INDEX "flow_team_id_id" ON "flows" ("team_id", "id");
-- Create index "flow_owner_id_id" to table: "flows"
CREATE INDEX "flow_owner_id_id" ON "flows" ("owner_id", "id");
-- Create index "flow_next_fire_at" to table: "flows"
CREATE INDEX "flow_next_fire_at" ON "flows" ("next_fire_at");
-- Create "flow_runs" table
CREATE TABLE "flow_runs" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "number" bigint NOT NULL,
  "fire_key" character varying NOT NULL,
  "cause" character varying NOT NULL,
  "actor_id" character varying NOT NULL DEFAULT '',
  "backfill_id" character varying NOT NULL DEFAULT '',
  "logical_time" timestamptz NOT NULL,
  "timezone" character varying NOT NULL,
  "parameters" jsonb NULL,
  "priority" bigint NOT NULL DEFAULT 0,
  "wish" character varying NOT NULL DEFAULT 'run',
  "state" character varying NOT NULL DEFAULT 'queued',
  "reason" jsonb NULL,
  "stopped_by" character varying NOT NULL DEFAULT '',
  "started_at" timestamptz NULL,
  "ended_at" timestamptz NULL,
  "late_told_at" timestamptz NULL,
  "wake_at" timestamptz NULL,
  "team_id" character varying NOT NULL,
  "owner_id" character varying NOT NULL,
  "flow_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "flow_runs_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "flow_runs_users_owner" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE NO ACTION,
  CONSTRAINT "flow_runs_flows_flow" FOREIGN KEY ("flow_id") REFERENCES "flows" ("id") ON DELETE NO ACTION
);
-- Create index "flowrun_flow_id_fire_key" to table: "flow_runs"
CREATE UNIQUE INDEX "flowrun_flow_id_fire_key" ON "flow_runs" ("flow_id", "fire_key");
-- Create index "flowrun_flow_id_id" to table: "flow_runs"
CREATE INDEX "flowrun_flow_id_id" ON "flow_runs" ("flow_id", "id");
-- Create index "flowrun_flow_id_logical_time" to table: "flow_runs"
CREATE INDEX "flowrun_flow_id_logical_time" ON "flow_runs" ("flow_id", "logical_time");
-- Create index "flowrun_team_id_id" to table: "flow_runs"
CREATE INDEX "flowrun_team_id_id" ON "flow_runs" ("team_id", "id");
-- Create index "flowrun_team_id_ended_at" to table: "flow_runs"
CREATE INDEX "flowrun_team_id_ended_at" ON "flow_runs" ("team_id", "ended_at");
-- Create index "flowrun_state_wake_at" to table: "flow_runs"
CREATE INDEX "flowrun_state_wake_at" ON "flow_runs" ("state", "wake_at");
-- Create index "flowrun_backfill_id" to table: "flow_runs"
CREATE INDEX "flowrun_backfill_id" ON "flow_runs" ("backfill_id");
-- Create "instances" table
CREATE TABLE "instances" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "inherited" jsonb NULL,
  "name" character varying NOT NULL,
  "object_name" character varying NOT NULL,
  "spec" jsonb NOT NULL,
  "started_spec" jsonb NULL,
  "outdated" boolean NOT NULL DEFAULT false,
  "desired" character varying NOT NULL DEFAULT 'stopped',
  "start_number" bigint NOT NULL DEFAULT 0,
  "moved_at_start" bigint NOT NULL DEFAULT 0,
  "state" character varying NOT NULL DEFAULT 'stopped',
  "reason" jsonb NULL,
  "timeline" jsonb NULL,
  "apps" jsonb NULL,
  "node" character varying NOT NULL DEFAULT '',
  "pod_ip" character varying NOT NULL DEFAULT '',
  "ssh_port" bigint NULL,
  "host_key" character varying NOT NULL DEFAULT '',
  "started_at" timestamptz NULL,
  "ready_at" timestamptz NULL,
  "team_id" character varying NOT NULL,
  "owner_id" character varying NOT NULL,
  "image_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "instances_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "instances_users_owner" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE NO ACTION,
  CONSTRAINT "instances_images_image" FOREIGN KEY ("image_id") REFERENCES "images" ("id") ON DELETE NO ACTION
);
-- Create index "instances_object_name_key" to table: "instances"
CREATE UNIQUE INDEX "instances_object_name_key" ON "instances" ("object_name");
-- Create index "instances_ssh_port_key" to table: "instances"
CREATE UNIQUE INDEX "instances_ssh_port_key" ON "instances" ("ssh_port");
-- Create index "instance_team_id_id" to table: "instances"
CREATE INDEX "instance_team_id_id" ON "instances" ("team_id", "id");
-- Create index "instance_owner_id_id" to table: "instances"
CREATE INDEX "instance_owner_id_id" ON "instances" ("owner_id", "id");
-- Create index "instance_state" to table: "instances"
CREATE INDEX "instance_state" ON "instances" ("state");
-- Create "memberships" table
CREATE TABLE "memberships" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "role" character varying NOT NULL,
  "origin" character varying NOT NULL DEFAULT 'manual',
  "team_id" character varying NOT NULL,
  "user_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "memberships_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "memberships_users_user" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE NO ACTION
);
-- Create index "membership_team_id_user_id" to table: "memberships"
CREATE UNIQUE INDEX "membership_team_id_user_id" ON "memberships" ("team_id", "user_id");
-- Create index "membership_user_id" to table: "memberships"
CREATE INDEX "membership_user_id" ON "memberships" ("user_id");
-- Create "steps" table
CREATE TABLE "steps" (
  "id" character varying NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "team_id" character varying NOT NULL,
  "name" character varying NOT NULL,
  "position" bigint NOT NULL,
  "state" character varying NOT NULL DEFAULT 'waiting',
  "reason" jsonb NULL,
  "round" bigint NOT NULL DEFAULT 1,
  "run_id" character varying NOT NULL DEFAULT '',
  "group" character varying NOT NULL DEFAULT '',
  "with" jsonb NULL,
  "outputs" jsonb NULL,
  "polls" bigint NOT NULL DEFAULT 0,
  "failures" bigint NOT NULL DEFAULT 0,
  "next_poll_at" timestamptz NULL,
  "poll_until" timestamptz NULL,
  "ready_at" timestamptz NULL,
  "started_at" timestamptz NULL,
  "ended_at" timestamptz NULL,
  "flow_run_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "steps_flow_runs_flow_run" FOREIGN KEY ("flow_run_id") REFERENCES "flow_runs" ("id") ON DELETE NO ACTION
);
-- Create index "step_flow_run_id_name" to table: "steps"
CREATE UNIQUE INDEX "step_flow_run_id_name" ON "steps" ("flow_run_id", "name");
-- Create index "step_team_id_group_state" to table: "steps"
CREATE INDEX "step_team_id_group_state" ON "steps" ("team_id", "group", "state");
-- Create index "step_run_id" to table: "steps"
CREATE INDEX "step_run_id" ON "steps" ("run_id");
-- Create "volumes" table
CREATE TABLE "volumes" (
  "id" character varying NOT NULL,
  "created_at" timestamptz NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "updated_at" timestamptz NOT NULL,
  "generation" bigint NOT NULL DEFAULT 1,
  "observed_generation" bigint NOT NULL DEFAULT 0,
  "name" character varying NOT NULL,
  "kind" character varying NOT NULL,
  "home_key" character varying NULL,
  "description" text NOT NULL DEFAULT '',
  "object_name" character varying NOT NULL,
  "adopted" boolean NOT NULL DEFAULT false,
  "size_bytes" bigint NOT NULL,
  "capacity_bytes" bigint NOT NULL DEFAULT 0,
  "access_mode" character varying NOT NULL,
  "storage_class" character varying NOT NULL DEFAULT '',
  "desired" character varying NOT NULL DEFAULT 'present',
  "trashed_at" timestamptz NULL,
  "purge_at" timestamptz NULL,
  "phase" character varying NOT NULL DEFAULT 'pending',
  "reason" jsonb NULL,
  "usage" jsonb NULL,
  "nearly_full" boolean NOT NULL DEFAULT false,
  "team_id" character varying NOT NULL,
  "owner_id" character varying NOT NULL,
  PRIMARY KEY ("id"),
  CONSTRAINT "volumes_teams_team" FOREIGN KEY ("team_id") REFERENCES "teams" ("id") ON DELETE NO ACTION,
  CONSTRAINT "volumes_users_owner" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE NO ACTION
);
-- Create index "volumes_home_key_key" to table: "volumes"
CREATE UNIQUE INDEX "volumes_home_key_key" ON "volumes" ("home_key");
-- Create index "volume_team_id_id" to table: "volumes"
CREATE INDEX "volume_team_id_id" ON "volumes" ("team_id", "id");
-- Create index "volume_owner_id_id" to table: "volumes"
CREATE INDEX "volume_owner_id_id" ON "volumes" ("owner_id", "id");
-- Create index "volume_team_id_object_name" to table: "volumes"
CREATE UNIQUE INDEX "volume_team_id_object_name" ON "volumes" ("team_id", "object_name");
-- Create index "volume_desired_purge_at" to table: "volumes"
CREATE INDEX "volume_desired_purge_at" ON "volumes" ("desired", "purge_at");
-- The row that admission locks
INSERT INTO "capacities" ("id", "nodes") VALUES ('cluster', '[]');
-- Nobody edits the audit log; retention alone deletes from it, and says that it is that.
-- +goose StatementBegin
CREATE FUNCTION audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('goblinlab.retention', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is not changed (%)', lower(TG_OP);
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_guard BEFORE UPDATE OR DELETE ON "audit" FOR EACH ROW EXECUTE FUNCTION audit_guard();
CREATE TRIGGER audit_guard_all BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION audit_guard();
