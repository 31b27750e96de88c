-- Each process remembers the questions near a question; that they were kept for all spared some milliseconds after a start.

truncate near_questions;
comment on table near_questions is 'not kept any more: to be dropped by the version after 0.4';
