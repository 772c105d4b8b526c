-- Parents read the loans of their children, at schools that have not decided on it themselves.
UPDATE permission p SET can_read = true FROM role r, module m
    WHERE r.id = p.role_id AND r.system AND r.type = 'PARENT' AND m.id = p.module_id AND m.name = 'library' AND p.version = 1
    AND NOT p.can_read;
UPDATE school_setting SET policy_version = policy_version + 1;
