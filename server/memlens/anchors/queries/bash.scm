(function_definition name: (word) @name) @definition.function
; `NAME=value command` is a use, so only assignments that stand alone count.
(program (variable_assignment name: (variable_name) @name) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.constant))
