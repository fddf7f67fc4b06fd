-- +goose Up
-- Create "access_tokens" table
CREATE TABLE `access_tokens` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `user_id` text NOT NULL,
  `name` text NOT NULL,
  `subject_id` text NOT NULL DEFAULT (''),
  `subject_start` integer NOT NULL DEFAULT (0),
  `team_id` text NOT NULL DEFAULT (''),
  `scope` text NOT NULL,
  `token_hash` text NOT NULL,
  `expires_at` datetime NOT NULL,
  `used_at` datetime NULL,
  `address` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
-- Create index "access_tokens_token_hash_key" to table: "access_tokens"
CREATE UNIQUE INDEX `access_tokens_token_hash_key` ON `access_tokens` (`token_hash`);
-- Create index "accesstoken_user_id_name_subject_id_subject_start" to table: "access_tokens"
CREATE UNIQUE INDEX `accesstoken_user_id_name_subject_id_subject_start` ON `access_tokens` (`user_id`, `name`, `subject_id`, `subject_start`);
-- Create index "accesstoken_subject_id" to table: "access_tokens"
CREATE INDEX `accesstoken_subject_id` ON `access_tokens` (`subject_id`);
-- Create index "accesstoken_expires_at" to table: "access_tokens"
CREATE INDEX `accesstoken_expires_at` ON `access_tokens` (`expires_at`);
-- Create "attempts" table
CREATE TABLE `attempts` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `number` integer NOT NULL,
  `state` text NOT NULL DEFAULT ('pending'),
  `reason` json NULL,
  `timeline` json NULL,
  `job_name` text NOT NULL,
  `pod_uid` text NOT NULL DEFAULT (''),
  `pod_name` text NOT NULL DEFAULT (''),
  `node` text NOT NULL DEFAULT (''),
  `image_digest` text NOT NULL DEFAULT (''),
  `exit_code` integer NULL,
  `started_at` datetime NULL,
  `ended_at` datetime NULL,
  `log_bytes` integer NOT NULL DEFAULT (0),
  `log_lines` integer NOT NULL DEFAULT (0),
  `log_complete` bool NOT NULL DEFAULT (false),
  `log_truncated` bool NOT NULL DEFAULT (false),
  `log_removed_at` datetime NULL,
  `log_kept_days` integer NOT NULL DEFAULT (0),
  `outputs` text NOT NULL DEFAULT (''),
  `run_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `attempts_runs_run` FOREIGN KEY (`run_id`) REFERENCES `runs` (`id`) ON DELETE NO ACTION
);
-- Create index "attempts_job_name_key" to table: "attempts"
CREATE UNIQUE INDEX `attempts_job_name_key` ON `attempts` (`job_name`);
-- Create index "attempt_run_id_number" to table: "attempts"
CREATE UNIQUE INDEX `attempt_run_id_number` ON `attempts` (`run_id`, `number`);
-- Create index "attempt_log_complete" to table: "attempts"
CREATE INDEX `attempt_log_complete` ON `attempts` (`log_complete`);
-- Create "audit" table
CREATE TABLE `audit` (
  `id` text NOT NULL,
  `at` datetime NOT NULL,
  `actor_id` text NOT NULL,
  `team_id` text NULL,
  `action` text NOT NULL,
  `object_id` text NOT NULL,
  `before` json NULL,
  `after` json NULL,
  `address` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
-- Create index "audit_object_id_id" to table: "audit"
CREATE INDEX `audit_object_id_id` ON `audit` (`object_id`, `id`);
-- Create index "audit_team_id_id" to table: "audit"
CREATE INDEX `audit_team_id_id` ON `audit` (`team_id`, `id`);
-- Create index "audit_actor_id_id" to table: "audit"
CREATE INDEX `audit_actor_id_id` ON `audit` (`actor_id`, `id`);
-- Create index "audit_at" to table: "audit"
CREATE INDEX `audit_at` ON `audit` (`at`);
-- Create "backfills" table
CREATE TABLE `backfills` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `flow_id` text NOT NULL,
  `number` integer NOT NULL,
  `actor_id` text NOT NULL,
  `times` json NOT NULL,
  `started` integer NOT NULL DEFAULT (0),
  `parallel` integer NOT NULL,
  `parameters` json NULL,
  `state` text NOT NULL DEFAULT ('running'),
  `ended_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "backfill_flow_id_id" to table: "backfills"
CREATE INDEX `backfill_flow_id_id` ON `backfills` (`flow_id`, `id`);
-- Create index "backfill_state" to table: "backfills"
CREATE INDEX `backfill_state` ON `backfills` (`state`);
-- Create "capacities" table
CREATE TABLE `capacities` (
  `id` text NOT NULL,
  `nodes` json NOT NULL,
  `observed_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create "code_snapshots" table
CREATE TABLE `code_snapshots` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `flow_id` text NOT NULL,
  `number` integer NOT NULL,
  `volume_id` text NOT NULL,
  `sub_path` text NOT NULL DEFAULT (''),
  `disk_id` text NOT NULL,
  `state` text NOT NULL DEFAULT ('pending'),
  `reason` json NULL,
  `folder` text NOT NULL DEFAULT (''),
  `untidy` bool NOT NULL DEFAULT (false),
  `files` integer NOT NULL DEFAULT (0),
  `bytes` integer NOT NULL DEFAULT (0),
  `sha256` text NOT NULL DEFAULT (''),
  `frozen_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "codesnapshot_flow_id_number" to table: "code_snapshots"
CREATE INDEX `codesnapshot_flow_id_number` ON `code_snapshots` (`flow_id`, `number`);
-- Create index "codesnapshot_disk_id_sha256" to table: "code_snapshots"
CREATE INDEX `codesnapshot_disk_id_sha256` ON `code_snapshots` (`disk_id`, `sha256`);
-- Create index "codesnapshot_folder" to table: "code_snapshots"
CREATE INDEX `codesnapshot_folder` ON `code_snapshots` (`folder`);
-- Create index "codesnapshot_state" to table: "code_snapshots"
CREATE INDEX `codesnapshot_state` ON `code_snapshots` (`state`);
-- Create "departures" table
CREATE TABLE `departures` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `user_id` text NOT NULL,
  `asked_by` text NOT NULL,
  `address` text NOT NULL DEFAULT (''),
  `plan` json NOT NULL,
  `touched_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "departures_user_id_key" to table: "departures"
CREATE UNIQUE INDEX `departures_user_id_key` ON `departures` (`user_id`);
-- Create "device_requests" table
CREATE TABLE `device_requests` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `device_hash` text NOT NULL,
  `user_hash` text NOT NULL,
  `client_id` text NOT NULL,
  `name` text NOT NULL,
  `scope` text NOT NULL,
  `address` text NOT NULL,
  `state` text NOT NULL DEFAULT ('pending'),
  `user_id` text NULL,
  `days` integer NOT NULL DEFAULT (0),
  `interval` integer NOT NULL DEFAULT (5),
  `polled_at` datetime NULL,
  `expires_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "device_requests_device_hash_key" to table: "device_requests"
CREATE UNIQUE INDEX `device_requests_device_hash_key` ON `device_requests` (`device_hash`);
-- Create index "device_requests_user_hash_key" to table: "device_requests"
CREATE UNIQUE INDEX `device_requests_user_hash_key` ON `device_requests` (`user_hash`);
-- Create index "devicerequest_expires_at" to table: "device_requests"
CREATE INDEX `devicerequest_expires_at` ON `device_requests` (`expires_at`);
-- Create "events" table
CREATE TABLE `events` (
  `id` text NOT NULL,
  `team_id` text NOT NULL,
  `subject_id` text NOT NULL,
  `at` datetime NOT NULL,
  `count` integer NOT NULL DEFAULT (1),
  `severity` text NOT NULL DEFAULT ('info'),
  `source` text NOT NULL,
  `type` text NOT NULL,
  `message` text NOT NULL DEFAULT (''),
  `args` json NULL,
  `actor_id` text NULL,
  `dedupe_key` text NULL,
  PRIMARY KEY (`id`)
);
-- Create index "events_dedupe_key_key" to table: "events"
CREATE UNIQUE INDEX `events_dedupe_key_key` ON `events` (`dedupe_key`);
-- Create index "event_subject_id_id" to table: "events"
CREATE INDEX `event_subject_id_id` ON `events` (`subject_id`, `id`);
-- Create "flows" table
CREATE TABLE `flows` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `name` text NOT NULL,
  `name_key` text NULL,
  `latest` integer NOT NULL DEFAULT (0),
  `paused` bool NOT NULL DEFAULT (true),
  `paused_why` json NULL,
  `schedule` json NOT NULL,
  `concurrency` text NOT NULL DEFAULT ('forbid'),
  `cursor` datetime NOT NULL,
  `settled_until` datetime NULL,
  `next_fire_at` datetime NULL,
  `deleted_at` datetime NULL,
  `team_id` text NOT NULL,
  `owner_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `flows_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `flows_users_owner` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE NO ACTION
);
-- Create index "flow_name_key" to table: "flows"
CREATE UNIQUE INDEX `flow_name_key` ON `flows` (`name_key`);
-- Create index "flow_team_id_id" to table: "flows"
CREATE INDEX `flow_team_id_id` ON `flows` (`team_id`, `id`);
-- Create index "flow_owner_id_id" to table: "flows"
CREATE INDEX `flow_owner_id_id` ON `flows` (`owner_id`, `id`);
-- Create index "flow_next_fire_at" to table: "flows"
CREATE INDEX `flow_next_fire_at` ON `flows` (`next_fire_at`);
-- Create "flow_runs" table
CREATE TABLE `flow_runs` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `number` integer NOT NULL,
  `fire_key` text NOT NULL,
  `cause` text NOT NULL,
  `actor_id` text NOT NULL DEFAULT (''),
  `backfill_id` text NOT NULL DEFAULT (''),
  `logical_time` datetime NOT NULL,
  `timezone` text NOT NULL,
  `parameters` json NULL,
  `priority` integer NOT NULL DEFAULT (0),
  `wish` text NOT NULL DEFAULT ('run'),
  `state` text NOT NULL DEFAULT ('queued'),
  `reason` json NULL,
  `stopped_by` text NOT NULL DEFAULT (''),
  `started_at` datetime NULL,
  `ended_at` datetime NULL,
  `late_told_at` datetime NULL,
  `wake_at` datetime NULL,
  `team_id` text NOT NULL,
  `owner_id` text NOT NULL,
  `flow_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `flow_runs_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `flow_runs_users_owner` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `flow_runs_flows_flow` FOREIGN KEY (`flow_id`) REFERENCES `flows` (`id`) ON DELETE NO ACTION
);
-- Create index "flowrun_flow_id_fire_key" to table: "flow_runs"
CREATE UNIQUE INDEX `flowrun_flow_id_fire_key` ON `flow_runs` (`flow_id`, `fire_key`);
-- Create index "flowrun_flow_id_id" to table: "flow_runs"
CREATE INDEX `flowrun_flow_id_id` ON `flow_runs` (`flow_id`, `id`);
-- Create index "flowrun_flow_id_logical_time" to table: "flow_runs"
CREATE INDEX `flowrun_flow_id_logical_time` ON `flow_runs` (`flow_id`, `logical_time`);
-- Create index "flowrun_team_id_id" to table: "flow_runs"
CREATE INDEX `flowrun_team_id_id` ON `flow_runs` (`team_id`, `id`);
-- Create index "flowrun_team_id_ended_at" to table: "flow_runs"
CREATE INDEX `flowrun_team_id_ended_at` ON `flow_runs` (`team_id`, `ended_at`);
-- Create index "flowrun_state_wake_at" to table: "flow_runs"
CREATE INDEX `flowrun_state_wake_at` ON `flow_runs` (`state`, `wake_at`);
-- Create index "flowrun_backfill_id" to table: "flow_runs"
CREATE INDEX `flowrun_backfill_id` ON `flow_runs` (`backfill_id`);
-- Create "flow_versions" table
CREATE TABLE `flow_versions` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `flow_id` text NOT NULL,
  `number` integer NOT NULL,
  `spec` json NOT NULL,
  `author_id` text NOT NULL,
  `comment` text NOT NULL DEFAULT (''),
  `restores` integer NOT NULL DEFAULT (0),
  `code_of` integer NOT NULL DEFAULT (0),
  PRIMARY KEY (`id`)
);
-- Create index "flowversion_flow_id_number" to table: "flow_versions"
CREATE UNIQUE INDEX `flowversion_flow_id_number` ON `flow_versions` (`flow_id`, `number`);
-- Create "identities" table
CREATE TABLE `identities` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `user_id` text NOT NULL,
  `issuer` text NOT NULL,
  `subject` text NOT NULL,
  `email` text NOT NULL DEFAULT (''),
  `used_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "identity_issuer_subject" to table: "identities"
CREATE UNIQUE INDEX `identity_issuer_subject` ON `identities` (`issuer`, `subject`);
-- Create index "identity_user_id_issuer" to table: "identities"
CREATE UNIQUE INDEX `identity_user_id_issuer` ON `identities` (`user_id`, `issuer`);
-- Create "images" table
CREATE TABLE `images` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `name` text NOT NULL,
  `reference` text NOT NULL,
  `description` text NOT NULL DEFAULT (''),
  `framework` text NOT NULL DEFAULT (''),
  `framework_version` text NOT NULL DEFAULT (''),
  `gpu` bool NOT NULL DEFAULT (false),
  `development` bool NOT NULL DEFAULT (false),
  `apps` json NULL,
  `recommended` bool NOT NULL DEFAULT (false),
  `deprecated` bool NOT NULL DEFAULT (false),
  `pull_secret` text NOT NULL DEFAULT (''),
  `size_bytes` integer NULL,
  `deleted_at` datetime NULL,
  `team_id` text NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `images_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE SET NULL
);
-- Create index "image_team_id" to table: "images"
CREATE INDEX `image_team_id` ON `images` (`team_id`);
-- Create index "image_recommended_name_id" to table: "images"
CREATE INDEX `image_recommended_name_id` ON `images` (`recommended`, `name`, `id`);
-- Create "instances" table
CREATE TABLE `instances` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `inherited` json NULL,
  `name` text NOT NULL,
  `object_name` text NOT NULL,
  `spec` json NOT NULL,
  `started_spec` json NULL,
  `outdated` bool NOT NULL DEFAULT (false),
  `desired` text NOT NULL DEFAULT ('stopped'),
  `start_number` integer NOT NULL DEFAULT (0),
  `moved_at_start` integer NOT NULL DEFAULT (0),
  `state` text NOT NULL DEFAULT ('stopped'),
  `reason` json NULL,
  `timeline` json NULL,
  `apps` json NULL,
  `node` text NOT NULL DEFAULT (''),
  `pod_ip` text NOT NULL DEFAULT (''),
  `ssh_port` integer NULL,
  `host_key` text NOT NULL DEFAULT (''),
  `started_at` datetime NULL,
  `ready_at` datetime NULL,
  `team_id` text NOT NULL,
  `owner_id` text NOT NULL,
  `image_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `instances_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `instances_users_owner` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `instances_images_image` FOREIGN KEY (`image_id`) REFERENCES `images` (`id`) ON DELETE NO ACTION
);
-- Create index "instances_object_name_key" to table: "instances"
CREATE UNIQUE INDEX `instances_object_name_key` ON `instances` (`object_name`);
-- Create index "instances_ssh_port_key" to table: "instances"
CREATE UNIQUE INDEX `instances_ssh_port_key` ON `instances` (`ssh_port`);
-- Create index "instance_team_id_id" to table: "instances"
CREATE INDEX `instance_team_id_id` ON `instances` (`team_id`, `id`);
-- Create index "instance_owner_id_id" to table: "instances"
CREATE INDEX `instance_owner_id_id` ON `instances` (`owner_id`, `id`);
-- Create index "instance_state" to table: "instances"
CREATE INDEX `instance_state` ON `instances` (`state`);
-- Create "invitations" table
CREATE TABLE `invitations` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `email` text NOT NULL,
  `role` text NOT NULL,
  `message` text NOT NULL DEFAULT (''),
  `token_hash` text NOT NULL,
  `inviter_id` text NOT NULL,
  `expires_at` datetime NOT NULL,
  `accepted_at` datetime NULL,
  `accepted_by` text NULL,
  `revoked_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "invitations_token_hash_key" to table: "invitations"
CREATE UNIQUE INDEX `invitations_token_hash_key` ON `invitations` (`token_hash`);
-- Create index "invitation_team_id_email" to table: "invitations"
CREATE INDEX `invitation_team_id_email` ON `invitations` (`team_id`, `email`);
-- Create index "invitation_inviter_id" to table: "invitations"
CREATE INDEX `invitation_inviter_id` ON `invitations` (`inviter_id`);
-- Create index "invitation_expires_at" to table: "invitations"
CREATE INDEX `invitation_expires_at` ON `invitations` (`expires_at`);
-- Create "known_browsers" table
CREATE TABLE `known_browsers` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `cookie_hash` text NOT NULL,
  `user_id` text NOT NULL,
  `expires_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "knownbrowser_user_id" to table: "known_browsers"
CREATE INDEX `knownbrowser_user_id` ON `known_browsers` (`user_id`);
-- Create index "knownbrowser_cookie_hash" to table: "known_browsers"
CREATE INDEX `knownbrowser_cookie_hash` ON `known_browsers` (`cookie_hash`);
-- Create index "knownbrowser_expires_at" to table: "known_browsers"
CREATE INDEX `knownbrowser_expires_at` ON `known_browsers` (`expires_at`);
-- Create "leases" table
CREATE TABLE `leases` (
  `id` text NOT NULL,
  `holder` text NOT NULL,
  `fence` integer NOT NULL DEFAULT (1),
  `until` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create "log_chunks" table
CREATE TABLE `log_chunks` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `created_at` datetime NOT NULL,
  `attempt_id` text NOT NULL,
  `first_line` integer NOT NULL,
  `lines` integer NOT NULL,
  `first_byte` integer NOT NULL,
  `bytes` integer NOT NULL,
  `last_time` datetime NOT NULL,
  `last_count` integer NOT NULL,
  `key` text NOT NULL
);
-- Create index "logchunk_attempt_id_first_line" to table: "log_chunks"
CREATE UNIQUE INDEX `logchunk_attempt_id_first_line` ON `log_chunks` (`attempt_id`, `first_line`);
-- Create "login_links" table
CREATE TABLE `login_links` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `user_id` text NOT NULL,
  `token_hash` text NOT NULL,
  `expires_at` datetime NOT NULL,
  `used_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "login_links_token_hash_key" to table: "login_links"
CREATE UNIQUE INDEX `login_links_token_hash_key` ON `login_links` (`token_hash`);
-- Create "memberships" table
CREATE TABLE `memberships` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `role` text NOT NULL,
  `origin` text NOT NULL DEFAULT ('manual'),
  `team_id` text NOT NULL,
  `user_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `memberships_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `memberships_users_user` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE NO ACTION
);
-- Create index "membership_team_id_user_id" to table: "memberships"
CREATE UNIQUE INDEX `membership_team_id_user_id` ON `memberships` (`team_id`, `user_id`);
-- Create index "membership_user_id" to table: "memberships"
CREATE INDEX `membership_user_id` ON `memberships` (`user_id`);
-- Create "outbox" table
CREATE TABLE `outbox` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `kind` text NOT NULL,
  `object_id` text NOT NULL,
  `due_at` datetime NOT NULL,
  `dispatched_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "outbox_dispatched_at_due_at" to table: "outbox"
CREATE INDEX `outbox_dispatched_at_due_at` ON `outbox` (`dispatched_at`, `due_at`);
-- Create "passwords" table
CREATE TABLE `passwords` (
  `id` text NOT NULL,
  `user_id` text NOT NULL,
  `hash` text NOT NULL,
  `changed_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "passwords_user_id_key" to table: "passwords"
CREATE UNIQUE INDEX `passwords_user_id_key` ON `passwords` (`user_id`);
-- Create "platform_volumes" table
CREATE TABLE `platform_volumes` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `name` text NOT NULL,
  `description` text NOT NULL DEFAULT (''),
  `path` text NOT NULL,
  `read_only` bool NOT NULL DEFAULT (true),
  `enabled` bool NOT NULL DEFAULT (true),
  `source_namespace` text NOT NULL,
  `source_claim` text NOT NULL,
  `made` bool NOT NULL,
  `size_bytes` integer NOT NULL DEFAULT (0),
  `storage_class` text NOT NULL DEFAULT (''),
  `object_name` text NOT NULL,
  `desired` text NOT NULL DEFAULT ('present'),
  `phase` text NOT NULL DEFAULT ('pending'),
  `reason` json NULL,
  `ready_teams` json NULL,
  PRIMARY KEY (`id`)
);
-- Create index "platform_volumes_object_name_key" to table: "platform_volumes"
CREATE UNIQUE INDEX `platform_volumes_object_name_key` ON `platform_volumes` (`object_name`);
-- Create index "platformvolume_path" to table: "platform_volumes"
CREATE INDEX `platformvolume_path` ON `platform_volumes` (`path`);
-- Create "provider_tries" table
CREATE TABLE `provider_tries` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `state_hash` text NOT NULL,
  `next` text NOT NULL,
  `expires_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "provider_tries_state_hash_key" to table: "provider_tries"
CREATE UNIQUE INDEX `provider_tries_state_hash_key` ON `provider_tries` (`state_hash`);
-- Create index "providertry_expires_at" to table: "provider_tries"
CREATE INDEX `providertry_expires_at` ON `provider_tries` (`expires_at`);
-- Create "reservations" table
CREATE TABLE `reservations` (
  `id` text NOT NULL,
  `consumer_id` text NOT NULL,
  `kind` text NOT NULL,
  `team_id` text NOT NULL,
  `owner_id` text NOT NULL,
  `name` text NOT NULL,
  `class` text NOT NULL,
  `resources` json NOT NULL,
  `gpu` integer NOT NULL DEFAULT (0),
  `state` text NOT NULL,
  `since` datetime NOT NULL,
  `until` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "reservations_consumer_id_key" to table: "reservations"
CREATE UNIQUE INDEX `reservations_consumer_id_key` ON `reservations` (`consumer_id`);
-- Create index "reservation_team_id_state" to table: "reservations"
CREATE INDEX `reservation_team_id_state` ON `reservations` (`team_id`, `state`);
-- Create index "reservation_state_gpu" to table: "reservations"
CREATE INDEX `reservation_state_gpu` ON `reservations` (`state`, `gpu`);
-- Create "runs" table
CREATE TABLE `runs` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `inherited` json NULL,
  `name` text NOT NULL,
  `desired` text NOT NULL DEFAULT ('run'),
  `state` text NOT NULL DEFAULT ('pending'),
  `reason` json NULL,
  `failures` integer NOT NULL DEFAULT (0),
  `next_attempt_at` datetime NULL,
  `flow_run_id` text NOT NULL DEFAULT (''),
  `step` text NOT NULL DEFAULT (''),
  `round` integer NOT NULL DEFAULT (0),
  `stopped_by` text NULL,
  `started_at` datetime NULL,
  `ended_at` datetime NULL,
  `log_state` text NOT NULL DEFAULT ('kept'),
  `team_id` text NOT NULL,
  `owner_id` text NOT NULL,
  `task_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `runs_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `runs_users_owner` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `runs_tasks_task` FOREIGN KEY (`task_id`) REFERENCES `tasks` (`id`) ON DELETE NO ACTION
);
-- Create index "run_team_id_id" to table: "runs"
CREATE INDEX `run_team_id_id` ON `runs` (`team_id`, `id`);
-- Create index "run_owner_id_id" to table: "runs"
CREATE INDEX `run_owner_id_id` ON `runs` (`owner_id`, `id`);
-- Create index "run_state" to table: "runs"
CREATE INDEX `run_state` ON `runs` (`state`);
-- Create index "run_flow_run_id_step_round" to table: "runs"
CREATE INDEX `run_flow_run_id_step_round` ON `runs` (`flow_run_id`, `step`, `round`);
-- Create index "run_log_state_team_id_ended_at" to table: "runs"
CREATE INDEX `run_log_state_team_id_ended_at` ON `runs` (`log_state`, `team_id`, `ended_at`);
-- Create "secrets" table
CREATE TABLE `secrets` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `user_id` text NULL,
  `team_id` text NULL,
  `name` text NOT NULL,
  `kind` text NOT NULL,
  `object_name` text NOT NULL,
  `keys` json NOT NULL,
  `team_wide` bool NOT NULL DEFAULT (false),
  `master_key` text NOT NULL,
  `wrapped` blob NOT NULL,
  `sealed` json NOT NULL,
  `fingerprint` text NOT NULL,
  `created_by` text NOT NULL,
  `changed_by` text NOT NULL,
  `changed_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "secrets_object_name_key" to table: "secrets"
CREATE UNIQUE INDEX `secrets_object_name_key` ON `secrets` (`object_name`);
-- Create index "secret_user_id_name" to table: "secrets"
CREATE UNIQUE INDEX `secret_user_id_name` ON `secrets` (`user_id`, `name`);
-- Create index "secret_team_id_name" to table: "secrets"
CREATE UNIQUE INDEX `secret_team_id_name` ON `secrets` (`team_id`, `name`);
-- Create index "secret_master_key" to table: "secrets"
CREATE INDEX `secret_master_key` ON `secrets` (`master_key`);
-- Create "sessions" table
CREATE TABLE `sessions` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `user_id` text NOT NULL,
  `data` blob NOT NULL,
  `expires_at` datetime NOT NULL,
  `used_at` datetime NOT NULL,
  `address` text NOT NULL DEFAULT (''),
  `agent` text NOT NULL DEFAULT (''),
  `way` text NOT NULL DEFAULT (''),
  PRIMARY KEY (`id`)
);
-- Create index "session_expires_at" to table: "sessions"
CREATE INDEX `session_expires_at` ON `sessions` (`expires_at`);
-- Create index "session_user_id" to table: "sessions"
CREATE INDEX `session_user_id` ON `sessions` (`user_id`);
-- Create "settings" table
CREATE TABLE `settings` (
  `id` text NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `value` text NOT NULL,
  `is_default` bool NOT NULL DEFAULT (false),
  `changed_by` text NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create "shares" table
CREATE TABLE `shares` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `volume_id` text NOT NULL,
  `volume_name` text NOT NULL,
  `from_team_id` text NOT NULL,
  `grantee_kind` text NOT NULL,
  `grantee` text NOT NULL,
  `user_id` text NOT NULL DEFAULT (''),
  `team_id` text NOT NULL DEFAULT (''),
  `open_key` text NULL,
  `mode` text NOT NULL,
  `message` text NOT NULL DEFAULT (''),
  `granted_by` text NOT NULL,
  `accepted_by` text NOT NULL DEFAULT (''),
  `accepted_at` datetime NULL,
  `ends_at` datetime NULL,
  `over_at` datetime NULL,
  `state` text NOT NULL DEFAULT ('offered'),
  `after` text NOT NULL DEFAULT ('restart'),
  `ready` bool NOT NULL DEFAULT (false),
  `reason` json NULL,
  `read_only_name` text NOT NULL,
  `read_write_name` text NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "shares_open_key_key" to table: "shares"
CREATE UNIQUE INDEX `shares_open_key_key` ON `shares` (`open_key`);
-- Create index "shares_read_only_name_key" to table: "shares"
CREATE UNIQUE INDEX `shares_read_only_name_key` ON `shares` (`read_only_name`);
-- Create index "shares_read_write_name_key" to table: "shares"
CREATE UNIQUE INDEX `shares_read_write_name_key` ON `shares` (`read_write_name`);
-- Create index "share_volume_id" to table: "shares"
CREATE INDEX `share_volume_id` ON `shares` (`volume_id`);
-- Create index "share_from_team_id_id" to table: "shares"
CREATE INDEX `share_from_team_id_id` ON `shares` (`from_team_id`, `id`);
-- Create index "share_user_id" to table: "shares"
CREATE INDEX `share_user_id` ON `shares` (`user_id`);
-- Create index "share_team_id" to table: "shares"
CREATE INDEX `share_team_id` ON `shares` (`team_id`);
-- Create index "share_state" to table: "shares"
CREATE INDEX `share_state` ON `shares` (`state`);
-- Create "sign_in_tries" table
CREATE TABLE `sign_in_tries` (
  `id` text NOT NULL,
  `failures` integer NOT NULL DEFAULT (0),
  `until` datetime NOT NULL,
  `updated_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "signintry_updated_at" to table: "sign_in_tries"
CREATE INDEX `signintry_updated_at` ON `sign_in_tries` (`updated_at`);
-- Create "slot_groups" table
CREATE TABLE `slot_groups` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `name` text NOT NULL,
  `slots` integer NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "slotgroup_team_id_name" to table: "slot_groups"
CREATE UNIQUE INDEX `slotgroup_team_id_name` ON `slot_groups` (`team_id`, `name`);
-- Create "steps" table
CREATE TABLE `steps` (
  `id` text NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `team_id` text NOT NULL,
  `name` text NOT NULL,
  `position` integer NOT NULL,
  `state` text NOT NULL DEFAULT ('waiting'),
  `reason` json NULL,
  `round` integer NOT NULL DEFAULT (1),
  `run_id` text NOT NULL DEFAULT (''),
  `group` text NOT NULL DEFAULT (''),
  `with` json NULL,
  `outputs` json NULL,
  `polls` integer NOT NULL DEFAULT (0),
  `failures` integer NOT NULL DEFAULT (0),
  `next_poll_at` datetime NULL,
  `poll_until` datetime NULL,
  `ready_at` datetime NULL,
  `started_at` datetime NULL,
  `ended_at` datetime NULL,
  `flow_run_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `steps_flow_runs_flow_run` FOREIGN KEY (`flow_run_id`) REFERENCES `flow_runs` (`id`) ON DELETE NO ACTION
);
-- Create index "step_flow_run_id_name" to table: "steps"
CREATE UNIQUE INDEX `step_flow_run_id_name` ON `steps` (`flow_run_id`, `name`);
-- Create index "step_team_id_group_state" to table: "steps"
CREATE INDEX `step_team_id_group_state` ON `steps` (`team_id`, `group`, `state`);
-- Create index "step_run_id" to table: "steps"
CREATE INDEX `step_run_id` ON `steps` (`run_id`);
-- Create "tasks" table
CREATE TABLE `tasks` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `owner_id` text NOT NULL,
  `name` text NOT NULL,
  `spec` json NOT NULL,
  `team_id` text NOT NULL,
  `image_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `tasks_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `tasks_images_image` FOREIGN KEY (`image_id`) REFERENCES `images` (`id`) ON DELETE NO ACTION
);
-- Create "teams" table
CREATE TABLE `teams` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `name` text NOT NULL,
  `name_key` text NOT NULL,
  `namespace` text NOT NULL,
  `quota` json NOT NULL,
  `overcommit` json NOT NULL,
  `reason` json NULL,
  `desired` text NOT NULL DEFAULT ('present'),
  `archived_at` datetime NULL,
  `namespace_uid` text NOT NULL DEFAULT (''),
  `lost` json NULL,
  `retention` json NULL,
  `findings` json NULL,
  PRIMARY KEY (`id`)
);
-- Create index "teams_name_key_key" to table: "teams"
CREATE UNIQUE INDEX `teams_name_key_key` ON `teams` (`name_key`);
-- Create index "teams_namespace_key" to table: "teams"
CREATE UNIQUE INDEX `teams_namespace_key` ON `teams` (`namespace`);
-- Create index "team_name_id" to table: "teams"
CREATE INDEX `team_name_id` ON `teams` (`name`, `id`);
-- Create "transitions" table
CREATE TABLE `transitions` (
  `id` text NOT NULL,
  `team_id` text NOT NULL,
  `flow_run_id` text NOT NULL,
  `step` text NOT NULL DEFAULT (''),
  `round` integer NOT NULL DEFAULT (0),
  `was` text NOT NULL DEFAULT (''),
  `becomes` text NOT NULL,
  `cause` text NOT NULL,
  `args` json NULL,
  `actor_id` text NOT NULL DEFAULT (''),
  `at` datetime NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create index "transition_flow_run_id_id" to table: "transitions"
CREATE INDEX `transition_flow_run_id_id` ON `transitions` (`flow_run_id`, `id`);
-- Create "users" table
CREATE TABLE `users` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `email` text NOT NULL,
  `display_name` text NOT NULL,
  `platform_role` text NOT NULL DEFAULT ('user'),
  `platform_role_origin` text NOT NULL DEFAULT ('manual'),
  `disabled_at` datetime NULL,
  `departed_at` datetime NULL,
  `erased_at` datetime NULL,
  `seen_at` datetime NULL,
  PRIMARY KEY (`id`)
);
-- Create index "users_email_key" to table: "users"
CREATE UNIQUE INDEX `users_email_key` ON `users` (`email`);
-- Create "user_limits" table
CREATE TABLE `user_limits` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `instances` integer NOT NULL,
  PRIMARY KEY (`id`)
);
-- Create "volumes" table
CREATE TABLE `volumes` (
  `id` text NOT NULL,
  `created_at` datetime NOT NULL,
  `version` integer NOT NULL DEFAULT (1),
  `updated_at` datetime NOT NULL,
  `generation` integer NOT NULL DEFAULT (1),
  `observed_generation` integer NOT NULL DEFAULT (0),
  `name` text NOT NULL,
  `kind` text NOT NULL,
  `home_key` text NULL,
  `description` text NOT NULL DEFAULT (''),
  `object_name` text NOT NULL,
  `adopted` bool NOT NULL DEFAULT (false),
  `size_bytes` integer NOT NULL,
  `capacity_bytes` integer NOT NULL DEFAULT (0),
  `access_mode` text NOT NULL,
  `storage_class` text NOT NULL DEFAULT (''),
  `desired` text NOT NULL DEFAULT ('present'),
  `trashed_at` datetime NULL,
  `purge_at` datetime NULL,
  `phase` text NOT NULL DEFAULT ('pending'),
  `reason` json NULL,
  `usage` json NULL,
  `nearly_full` bool NOT NULL DEFAULT (false),
  `team_id` text NOT NULL,
  `owner_id` text NOT NULL,
  PRIMARY KEY (`id`),
  CONSTRAINT `volumes_teams_team` FOREIGN KEY (`team_id`) REFERENCES `teams` (`id`) ON DELETE NO ACTION,
  CONSTRAINT `volumes_users_owner` FOREIGN KEY (`owner_id`) REFERENCES `users` (`id`) ON DELETE NO ACTION
);
-- Create index "volumes_home_key_key" to table: "volumes"
CREATE UNIQUE INDEX `volumes_home_key_key` ON `volumes` (`home_key`);
-- Create index "volume_team_id_id" to table: "volumes"
CREATE INDEX `volume_team_id_id` ON `volumes` (`team_id`, `id`);
-- Create index "volume_owner_id_id" to table: "volumes"
CREATE INDEX `volume_owner_id_id` ON `volumes` (`owner_id`, `id`);
-- Create index "volume_team_id_object_name" to table: "volumes"
CREATE UNIQUE INDEX `volume_team_id_object_name` ON `volumes` (`team_id`, `object_name`);
-- Create index "volume_desired_purge_at" to table: "volumes"
CREATE INDEX `volume_desired_purge_at` ON `volumes` (`desired`, `purge_at`);
-- Create "volume_samples" table
CREATE TABLE `volume_samples` (
  `id` integer NOT NULL PRIMARY KEY AUTOINCREMENT,
  `volume_id` text NOT NULL,
  `at` datetime NOT NULL,
  `used_bytes` integer NOT NULL,
  `capacity_bytes` integer NOT NULL,
  `inodes_used` integer NOT NULL,
  `inodes` integer NOT NULL,
  `source` text NOT NULL,
  `hourly` bool NOT NULL
);
-- Create index "volumesample_volume_id_at" to table: "volume_samples"
CREATE UNIQUE INDEX `volumesample_volume_id_at` ON `volume_samples` (`volume_id`, `at`);
-- Create index "volumesample_at" to table: "volume_samples"
CREATE INDEX `volumesample_at` ON `volume_samples` (`at`);
-- The row that admission locks
INSERT INTO "capacities" ("id", "nodes") VALUES ('cluster', '[]');
-- Nobody edits the audit log; retention alone deletes from it, never what is younger than 23 hours.
-- +goose StatementBegin
CREATE TRIGGER `audit_guard_update` BEFORE UPDATE ON `audit` BEGIN
  SELECT RAISE(ABORT, 'the audit log is not changed (update)');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `audit_guard_delete` BEFORE DELETE ON `audit` WHEN OLD.`at` > datetime('now', '-23 hours') BEGIN
  SELECT RAISE(ABORT, 'the audit log is not changed (delete)');
END;
-- +goose StatementEnd
