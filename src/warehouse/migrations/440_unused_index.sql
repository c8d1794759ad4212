-- No query finds a version by its call alone.
DROP INDEX _version_by_call;
